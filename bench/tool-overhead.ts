import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonValue } from '@loom/shared/json';
import type { ToolContext, ToolRegistry } from '@loom/shared/tool';
import { onFileEnd } from '@loom/testing/file-end';
import { builtinTools } from '@loom/tools/builtin-tools';
import { createToolRegistry } from '@loom/tools/registry';
import { probeSandbox } from '@loom/tools/sandbox/probe-sandbox';
import type { Measurement } from './measurement.ts';
import { percentile } from './percentile.ts';
import { createRandom, makeSentences, makeVocabulary } from './sentences.ts';

const execFileAsync = promisify(execFile);
const fileCount = 10_000;
const readings = 400;
const commands = 60;
const searches = 20;

/** (f) What our tools cost over the bare operation, and how long a large workspace is searched. */
export async function measureToolOverhead(): Promise<Measurement[]> {
  const workspace = await mkdtemp(join(tmpdir(), 'loom-bench-'));
  onFileEnd(() => rm(workspace, { recursive: true, force: true }));
  const small = join(workspace, 'small');
  const large = join(workspace, 'large');
  await mkdir(join(small, 'src'), { recursive: true });
  for (let file = 0; file < 20; file++) {
    await writeFile(join(small, 'src', `${file}.txt`), 'a line of text\n'.repeat(200));
  }
  await fill(large);
  const tools = await openTools();
  return [await reads(tools, small), await shell(tools, small), await search(tools, large)];
}

async function reads(tools: ToolRegistry, workspace: string): Promise<Measurement> {
  const path = 'src/7.txt';
  const ours = await sample(readings, () => call(tools, workspace, 'read_file', { path }));
  const bare = await sample(readings, () => readFile(join(workspace, path), 'utf8'));
  return overhead('read_file over a bare read', ours, bare, 3);
}

async function shell(tools: ToolRegistry, workspace: string): Promise<Measurement> {
  const run = () => call(tools, workspace, 'shell_execute', { command: 'true' });
  const ours = await sample(commands, run);
  const bare = await sample(commands, () =>
    execFileAsync('/bin/sh', ['-c', 'true'], { cwd: workspace }),
  );
  return overhead('a sandboxed command over a bare one', ours, bare, 60);
}

async function search(tools: ToolRegistry, workspace: string): Promise<Measurement> {
  const pattern = 'needle-[0-9]+';
  const took = await sample(searches, async () => {
    const text = await call(tools, workspace, 'search_files', { pattern });
    if (!text.includes('needle-')) throw new Error('the search found nothing');
  });
  return {
    part: 'f',
    name: `a search of ${fileCount.toLocaleString('en')} files`,
    value: percentile(took, 0.5),
    unit: 'ms p50',
    target: { at_most: 300 },
    detail: { p95_ms: percentile(took, 0.95) },
  };
}

/** Text of the size of source files, with the wanted line in one of a hundred. */
async function fill(directory: string): Promise<void> {
  const random = createRandom(5);
  const sentences = makeSentences(makeVocabulary(), 2_000).map((words) => words.join(' '));
  for (let folder = 0; folder < 100; folder++) {
    const path = join(directory, `folder-${folder}`);
    await mkdir(path, { recursive: true });
    await Promise.all(
      Array.from({ length: fileCount / 100 }, (_, file) => {
        const lines = Array.from(
          { length: 40 },
          () => sentences[Math.floor(random() * sentences.length)],
        );
        if (file === 0) lines.push(`needle-${folder}`);
        return writeFile(join(path, `file-${file}.txt`), lines.join('\n'));
      }),
    );
  }
}

async function openTools(): Promise<ToolRegistry> {
  const sandbox = await probeSandbox();
  if (!sandbox.works) throw new Error(sandbox.reason ?? 'the sandbox does not work');
  const shell = { allow_unsandboxed: false, network: false, hidden_paths: [], sandbox };
  const fetch = { allow_private: false, timeout_ms: 1_000, max_bytes: 1_000 };
  return createToolRegistry(builtinTools({ shell, fetch }), { max_output_chars: 40_000 });
}

async function call(
  tools: ToolRegistry,
  workspace: string,
  name: string,
  args: JsonValue,
): Promise<string> {
  const context: ToolContext = {
    tenant_id: 'bench',
    workspace,
    read_roots: [],
    network: false,
    signal: new AbortController().signal,
    call_key: 'bench',
    keep: {
      before: async () => undefined,
      artifact: async () => 'af_bench',
      readArtifact: async () => null,
    },
    progress: () => undefined,
  };
  const result = await tools.run(name, args, context);
  if (!result.ok) throw new Error(result.text);
  return result.text;
}

async function sample(count: number, work: () => Promise<unknown>): Promise<number[]> {
  for (let warmUp = 0; warmUp < 5; warmUp++) await work();
  const took: number[] = [];
  for (let one = 0; one < count; one++) {
    const began = performance.now();
    await work();
    took.push(performance.now() - began);
  }
  return took;
}

function overhead(name: string, ours: number[], bare: number[], most: number): Measurement {
  return {
    part: 'f',
    name,
    value: percentile(ours, 0.5) - percentile(bare, 0.5),
    unit: 'ms p50',
    target: { at_most: most },
    detail: {
      ours_p50_ms: percentile(ours, 0.5),
      ours_p95_ms: percentile(ours, 0.95),
      bare_p50_ms: percentile(bare, 0.5),
    },
  };
}
