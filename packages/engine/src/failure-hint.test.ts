import { expect, test } from 'vitest';
import { failureHint } from './failure-hint.ts';

test.each([
  ['iterations_exhausted', '', 'limits'],
  ['model_bad_reply', '', 'model'],
  ['deliverable_missing', '', 'missing result'],
  ['evidence_gap', '', 'missing evidence'],
  ['invalid_syntax', '', 'broken result'],
  ['check_failed', '', 'checks'],
  ['tool_failed', '', 'tools'],
  // A known code wins over words that would say something else.
  ['check_failed', 'a.md does not exist', 'checks'],
  ['requirement_not_met', 'Unexpected token } in data.json', 'broken result'],
  ['requirement_not_met', 'report.md is missing', 'missing result'],
  ['whatever', 'the command ended with exit code 2', 'checks'],
  ['whatever', 'the request timed out', 'limits'],
  ['whatever', 'permission denied', 'tools'],
  ['requirement_not_met', 'names no winner', 'requirement'],
])('%s "%s" is a failure of the kind: %s', (code, message, category) => {
  const found = failureHint({ code, message });
  expect(found.category).toBe(category);
  expect(found.hint).not.toBe('');
});
