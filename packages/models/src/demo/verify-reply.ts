import type { VerifierAnswer } from '@loom/shared/verdict';
import { readBlock, readFiles, type ShownFile } from './read-block.ts';

const commonWords = new Set(
  'about also and each file files for from have into list make must non not summary that the their them then this with write writes written'.split(
    ' ',
  ),
);

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
      ? `The demo verifier read ${files.length} file(s); each has content on the requirement.`
      : files.length === 0
        ? 'There is no file to read. Write the deliverables.'
        : `Empty or off the requirement: ${missing.join(', ')}. Write them again.`,
    evidence: files
      .filter(({ path }) => !lacking.includes(path))
      .map(({ path, content }) => ({
        claim: 'has content on the requirement',
        source: path,
        quote: content.trim().split('\n', 1)[0] ?? '',
      })),
    missing_targets: missing,
  };
}

function isOnTopic({ content }: ShownFile, words: readonly string[]): boolean {
  const text = content.toLowerCase();
  return text.trim() !== '' && (words.length === 0 || words.some((word) => text.includes(word)));
}

function significantWords(requirement: string): string[] {
  const words = requirement.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return words.filter((word) => !commonWords.has(word));
}

function namedFiles(requirement: string): string[] {
  return [...new Set(requirement.match(/[\w/-]+\.\w{1,5}\b/g) ?? [])];
}
