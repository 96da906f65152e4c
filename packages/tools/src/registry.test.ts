import { AppError } from '@loom/shared/app-error';
import type { ToolDefinition } from '@loom/shared/tool';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createToolRegistry } from './registry.ts';
import { contextIn } from './test-workspace.ts';

const context = contextIn(null);

function tool(overrides: Partial<ToolDefinition<{ name: string; times: number }>> = {}) {
  return {
    name: 'greet',
    description: 'Greets.',
    effect: 'read',
    timeout_ms: 1_000,
    input: z.strictObject({ name: z.string(), times: z.number().int().default(1) }),
    unavailable: () => null,
    run: async (input) => ({ text: `hello ${input.name} x${input.times}` }),
    ...overrides,
  } satisfies ToolDefinition<{ name: string; times: number }>;
}

function registry(overrides: Parameters<typeof tool>[0] = {}, max_output_chars = 1_000) {
  return createToolRegistry([tool(overrides)], { max_output_chars });
}

describe('arguments', () => {
  it('fills defaults and passes valid ones on', async () => {
    const result = await registry().run('greet', { name: 'Ada' }, context);
    expect(result).toEqual({ ok: true, text: 'hello Ada x1' });
  });

  it('names every wrong field and the expected shape', async () => {
    const result = await registry().run('greet', { name: 7, times: 'x', more: 1 }, context);
    expect(result).toMatchObject({ ok: false, error_code: 'invalid_arguments' });
    expect(result.text).toContain('"name": ');
    expect(result.text).toContain('"times": ');
    expect(result.text).toContain('"more" is not a known field');
    expect(result.text).toContain('{"name": string, "times"?: integer}');
  });

  it.each([['text'], [null], [3], [['Ada']]])('refuses %j as not an object', (args) => {
    const problem = registry().check('greet', args);
    expect(problem).toMatchObject({ ok: false, error_code: 'invalid_arguments' });
    expect(problem?.text).toContain('not a JSON object');
  });

  it('checks without running', () => {
    let ran = false;
    const tools = registry({
      run: async () => {
        ran = true;
        return { text: '' };
      },
    });
    expect(tools.check('greet', { name: 'Ada' })).toBeNull();
    expect(ran).toBe(false);
  });

  it('suggests the nearest name for an unknown tool', async () => {
    const result = await registry().run('gret', {}, context);
    expect(result).toMatchObject({ ok: false, error_code: 'unknown_tool' });
    expect(result.text).toContain('Did you mean greet?');
  });
});

describe('what a model is told', () => {
  it('gives JSON Schema with defaults optional and no $schema', () => {
    const [spec] = registry().specs(['greet', 'missing']);
    expect(spec?.input_schema).toMatchObject({ type: 'object', required: ['name'] });
    expect(spec?.input_schema).not.toHaveProperty('$schema');
  });

  it('lists an unavailable tool with its reason, and does not offer or run it', async () => {
    const tools = registry({ unavailable: () => 'no hat' });
    expect(tools.list()).toMatchObject([{ available: false, unavailable_reason: 'no hat' }]);
    expect(tools.specs(['greet'])).toEqual([]);
    const result = await tools.run('greet', { name: 'Ada' }, context);
    expect(result).toMatchObject({ ok: false, error_code: 'failed' });
    expect(result.text).toContain('no hat');
  });

  it('knows effects by name', () => {
    expect(registry().effect('greet')).toBe('read');
    expect(registry().effect('missing')).toBeNull();
  });
});

describe('failures', () => {
  const throwing = (error: unknown) =>
    registry({
      run: async () => {
        throw error;
      },
    }).run('greet', { name: 'Ada' }, context);

  it('turns a throw into one sentence without a stack', async () => {
    const result = await throwing(new Error('it broke'));
    expect(result).toMatchObject({ ok: false, error_code: 'failed' });
    expect(result.text).toContain('it broke');
    expect(result.text).not.toContain('registry.test');
  });

  it.each([
    ['invalid_request', 'invalid_arguments'],
    ['time_exhausted', 'timeout'],
    ['cancelled', 'cancelled'],
    ['not_found', 'failed'],
  ] as const)('maps %s to %s', async (code, error_code) => {
    expect(await throwing(new AppError(code, 'because'))).toMatchObject({ ok: false, error_code });
  });
});

describe('bounds', () => {
  const never = () => new Promise<never>(() => {});

  it.concurrent('stops a tool that ignores its timeout', async () => {
    const tools = registry({ timeout_ms: 20, run: never });
    const result = await tools.run('greet', { name: 'Ada' }, context);
    expect(result).toMatchObject({ ok: false, error_code: 'timeout' });
  });

  it.concurrent('stops a tool that ignores the caller', async () => {
    const controller = new AbortController();
    const running = registry({ run: never }).run(
      'greet',
      { name: 'Ada' },
      contextIn(null, { signal: controller.signal }),
    );
    controller.abort();
    expect(await running).toMatchObject({ ok: false, error_code: 'cancelled' });
  });

  it('does not start for a caller that has gone', async () => {
    let ran = false;
    const run = async () => {
      ran = true;
      return { text: '' };
    };
    const result = await registry({ run }).run(
      'greet',
      { name: 'Ada' },
      contextIn(null, { signal: AbortSignal.abort() }),
    );
    expect(result).toMatchObject({ ok: false, error_code: 'cancelled' });
    expect(ran).toBe(false);
  });

  it('tells what was done when a tool finishes in spite of the abort', async () => {
    const controller = new AbortController();
    const run = async () => {
      controller.abort();
      return { text: 'written', changes: [{ path: 'a', after: null }] };
    };
    const result = await registry({ run }).run(
      'greet',
      { name: 'Ada' },
      contextIn(null, { signal: controller.signal }),
    );
    expect(result).toEqual({ ok: true, text: 'written', changes: [{ path: 'a', after: null }] });
  });

  const long = `BEGIN${'x'.repeat(5_000)}END`;

  it('keeps head and tail of long output within the bound, and the whole of it as an artifact', async () => {
    const here = contextIn(null);
    const run = async () => ({ text: long });
    const { text } = await registry({ run }, 300).run('greet', { name: 'Ada' }, here);
    expect(text.length).toBeLessThanOrEqual(300);
    expect(text).toMatch(
      /^BEGINx+\n\[… (\d+) characters cut; the whole text is artifact af_1: .*\]\nx+END$/,
    );
    const cut = Number(/(\d+) characters/.exec(text)?.[1]);
    expect(text.replace(/\n\[.*\]\n/, '').length + cut).toBe(5_008);
    const kept = here.artifacts.get('af_1');
    expect(kept).toMatchObject({ kind: 'text', mime: 'text/plain', source: 'greet' });
    expect(kept?.content.toString()).toBe(long);
  });

  it('keeps nothing of output that fits, and nothing of what read_artifact shows', async () => {
    const here = contextIn(null);
    const whole = await registry({ run: async () => ({ text: long }) }, 5_008).run(
      ...(['greet', { name: 'Ada' }, here] as const),
    );
    expect(whole.text).toBe(long);
    const reader = registry({ name: 'read_artifact', run: async () => ({ text: long }) }, 300);
    const { text } = await reader.run('read_artifact', { name: 'Ada' }, here);
    expect(text).toMatch(/\[… \d+ characters cut …\]/);
    expect(here.artifacts.size).toBe(0);
  });

  it('does not lose a result whose artifact cannot be kept', async () => {
    const here = contextIn(null);
    const artifact = () => Promise.reject(new Error('the disk is full'));
    const result = await registry({ run: async () => ({ text: long }) }, 300).run(
      'greet',
      { name: 'Ada' },
      { ...here, keep: { ...here.keep, artifact } },
    );
    expect(result.ok).toBe(true);
    expect(result.text).toMatch(/^BEGINx+\n\[… \d+ characters cut …\]\nx+END$/);
  });

  it('returns only text that the database can keep', async () => {
    const run = async () => ({ text: `a\u0000b\ud800` });
    const { text } = await registry({ run }).run('greet', { name: 'Ada' }, context);
    expect(text).toBe('a\ufffdb\ufffd');
  });
});

it('tells an observer how each call of a registered tool ended', async () => {
  const seen: unknown[] = [];
  const observe = (name: string, outcome: string, ms: number) =>
    seen.push([name, outcome, ms >= 0]);
  const failing = tool({ name: 'fail', run: () => Promise.reject(new Error('no')) });
  const tools = createToolRegistry([tool(), failing], { max_output_chars: 1_000, observe });
  await tools.run('greet', { name: 'Ada' }, context);
  await tools.run('greet', {}, context);
  await tools.run('fail', { name: 'Ada' }, context);
  await tools.run('named by a model', {}, context);
  expect(seen).toEqual([
    ['greet', 'ok', true],
    ['greet', 'invalid_arguments', true],
    ['fail', 'failed', true],
  ]);
});
