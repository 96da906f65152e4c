import { verifierAnswerSchema } from '@loom/shared/verdict';
import { expect, it } from 'vitest';
import { verifyReply } from './verify-reply.ts';

function verify(files: string) {
  const prompt = `REQUIREMENT:\nWrite a haiku about rain to rain.md\nEND REQUIREMENT\n\n${files}`;
  return verifierAnswerSchema.parse(JSON.parse(verifyReply(prompt)));
}

it('passes content on the requirement and quotes it', () => {
  expect(verify('FILE: rain.md\n# Rain\nfalls\nEND FILE\n')).toMatchObject({
    outcome: 'pass',
    reason_code: 'demo_checked',
    evidence: [{ source: 'rain.md', quote: '# Rain' }],
    missing_targets: [],
  });
});

it.each([
  ['an empty file', 'FILE: rain.md\n\nEND FILE\n'],
  ['a file on something else', 'FILE: rain.md\nzzz\nEND FILE\n'],
  ['no file', ''],
])('fails %s and names it', (_, files) => {
  expect(verify(files)).toMatchObject({ outcome: 'fail', missing_targets: ['rain.md'] });
});

it('asks only for content when the requirement is a file name, however short', () => {
  const prompt =
    'REQUIREMENT:\nWrite a.md\n\nDeliverables:\n- a.md\nEND REQUIREMENT\n\nFILE: a.md\n# A\nEND FILE\n';
  expect(JSON.parse(verifyReply(prompt))).toMatchObject({ outcome: 'pass' });
});

it('judges the text when there is no file', () => {
  expect(verify('OUTPUT:\nIt will rain.\nEND OUTPUT')).toMatchObject({
    outcome: 'pass',
    evidence: [{ source: 'output', quote: 'It will rain.' }],
  });
  expect(verify('OUTPUT:\n\nEND OUTPUT').outcome).toBe('fail');
});

it('fails an empty file even when the requirement says nothing in particular', () => {
  const answer = verifyReply('REQUIREMENT:\nWrite it\nEND REQUIREMENT\nFILE: a.md\n \nEND FILE\n');
  expect(JSON.parse(answer)).toMatchObject({ outcome: 'fail', missing_targets: ['a.md'] });
});
