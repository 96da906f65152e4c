import type { VerifierAnswer } from '@loom/shared/verdict';
import { readBlock, readFiles, type ShownFile } from './read-block.ts';

const commonWords = new Set(
  'about also and each file files for from have into list make must non not summary that the their them then this with write writes written'.split(
    ' ',
  ),
);

const fileName = /[\w/-]+\.\w{1,5}\b/g;

/** The demo verifier: every shown file, or the text alone, must have content and speak of what was required. */
export function verifyReply(prompt: string): string {
  const requirement = readBlock(prompt, 'REQUIREMENT') ?? '';
  const files = readFiles(prompt);
  const output = readBlock(prompt, 'OUTPUT');
  // Work that makes no file is judged by its text.
  if (files.length === 0 && output !== null) files.push({ path: 'output', content: output });
  return JSON.stringify(judge(requirement, files));
}

function judge(requirement: string, files: ShownFile[]): VerifierAnswer {
  const words = significantWords(requirement);
  const lacking = files.filter((file) => !isOnTopic(file, words)).map(({ path }) => path);
  const missing = files.length === 0 ? namedFiles(requirement) : lacking;
  const passed = files.length > 0 && missing.length === 0;
  return {
    outcome: passed ? 'pass' : 'fail',
    confidence: 0.9,
    reason_code: passed ? 'demo_checked' : 'demo_missing_content',
    severity_class: 'semantic',
    feedback: passed
      ? `${countOf(files)} read; there is content on what was asked for.`
      : files.length === 0
        ? 'There is no file to read. Write the deliverables.'
        : `Empty, or not on what was asked for: ${missing.join(', ')}. Write again.`,
    evidence: files
      .filter(({ path }) => !lacking.includes(path))
      .map(({ path, content }) => ({
        claim: 'has content on what was asked for',
        source: path,
        quote: content.trim().split('\n', 1)[0] ?? '',
      })),
    missing_targets: missing,
  };
}

function countOf(files: readonly ShownFile[]): string {
  return files.length === 1 ? 'One file was' : `${files.length} files were`;
}

function isOnTopic({ content }: ShownFile, words: readonly string[]): boolean {
  const text = content.toLowerCase();
  return text.trim() !== '' && (words.length === 0 || words.some((word) => text.includes(word)));
}

// Of what to do, not of where: a file need not speak of its own name.
function significantWords(requirement: string): string[] {
  const [description = ''] = requirement.split('\n\n', 1);
  const prose = description.toLowerCase().replaceAll(fileName, ' ');
  const words = prose.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return words.filter((word) => !commonWords.has(word));
}

function namedFiles(requirement: string): string[] {
  return [...new Set(requirement.match(fileName) ?? [])];
}
