import type { Failure } from '@loom/shared/api';

/** What kind of failure it was, and what usually helps. */
interface FailureHint {
  category:
    | 'limits'
    | 'model'
    | 'missing result'
    | 'missing evidence'
    | 'broken result'
    | 'checks'
    | 'tools'
    | 'requirement';
  hint: string;
}

const limits: FailureHint = {
  category: 'limits',
  hint: 'Decide on the few steps that lead to the result before you begin, read only what you need, and finish once the criteria are met.',
};
const model: FailureHint = {
  category: 'model',
  hint: 'The work may have been cut off in the middle: look at what is there before you go on.',
};
const missing: FailureHint = {
  category: 'missing result',
  hint: 'Write the named files to exactly these paths, and check that they are there and not empty.',
};
const evidence: FailureHint = {
  category: 'missing evidence',
  hint: 'Say for each claim where it comes from, in the deliverable itself, and quote what you rely on.',
};
const broken: FailureHint = {
  category: 'broken result',
  hint: 'Read the named file at the place of the error and correct it there.',
};
const checks: FailureHint = {
  category: 'checks',
  hint: 'Run the failing check yourself, correct what it names, and run it again before you finish.',
};
const tools: FailureHint = {
  category: 'tools',
  hint: 'Do not repeat the same call: look why it failed, and choose other arguments or another way.',
};
const requirement: FailureHint = {
  category: 'requirement',
  hint: 'Compare the result with each acceptance criterion and with the feedback, and correct every point.',
};

const byCode: Record<string, FailureHint> = {
  iterations_exhausted: limits,
  time_exhausted: limits,
  budget_exhausted: limits,
  context_too_long: limits,
  completion_missing: requirement,
  completion_partial: requirement,
  completion_blocked: tools,
  model_unavailable: model,
  model_rate_limited: model,
  model_rejected: model,
  model_bad_reply: model,
  deliverable_missing: missing,
  file_empty: missing,
  evidence_missing: evidence,
  evidence_gap: evidence,
  invalid_syntax: broken,
  check_failed: checks,
  tool_failed: tools,
};

const byWords: [RegExp, FailureHint][] = [
  [/\b(syntax|parse error|unexpected token|not valid (json|yaml|toml|csv))\b/i, broken],
  [/\b(does not exist|no such file|is missing|is empty|not found)\b/i, missing],
  [/\b(exit code|tests? failed|failing test|assertion)\b/i, checks],
  [/\b(timed? ?out|took longer)\b/i, limits],
  [/\b(permission|denied|refused|not allowed)\b/i, tools],
];

/** The category of a failure by its code, else by its words, with a hint for the next attempt. */
export function failureHint({ code, message }: Failure): FailureHint {
  return byCode[code] ?? byWords.find(([words]) => words.test(message))?.[1] ?? requirement;
}
