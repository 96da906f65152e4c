import type { Problem } from '@loom/shared/api';

/** A refusal of the gateway in plain words: its detail, then each thing that was wrong. */
export function renderProblem(problem: Problem): string {
  const errors = (problem.errors ?? []).map((error) => {
    const where = 'path' in error ? error.path : error.subtask_id;
    return `  ${where === '' ? '' : `${where}: `}${error.message}`;
  });
  const hint =
    problem.status === 401
      ? ['Give a key with --key, LOOM_API_KEY, or LOOM_DATA_DIR (which holds admin.key).']
      : [];
  return [problem.detail, ...errors, ...hint].join('\n');
}
