import { relative } from 'node:path';

/**
 * The end of a test run in words: what was skipped and why, then the counts as the last line.
 * A component that is required but missing counts as failed, and so does a run that broke off.
 */
export function summariseResults({ results, code, missing, required, root }) {
  const lines = [];
  let failed = 0;
  let skipped = 0;

  for (const { name, wanted, projects } of missing) {
    const isRequired = required.includes(name);
    if (isRequired) failed += projects.length;
    else skipped += projects.length;
    for (const project of projects) {
      lines.push(`${isRequired ? 'FAILED' : 'skipped'}: suite ${project}, needs ${wanted}`);
    }
  }

  for (const file of results?.testResults ?? []) {
    const path = relative(root, file.name);
    for (const test of file.assertionResults) {
      if (test.status !== 'pending' && test.status !== 'skipped') continue;
      lines.push(`skipped: ${path} > ${test.fullName}`);
    }
    // A file that could not even be loaded has no tests to fail.
    if (file.status === 'failed' && file.assertionResults.length === 0) {
      failed += 1;
      lines.push(`FAILED: ${path} could not be loaded`);
    }
  }

  failed += results?.numFailedTests ?? 0;
  skipped += (results?.numPendingTests ?? 0) + (results?.numTodoTests ?? 0);
  if (code !== 0 && failed === 0) {
    failed = 1;
    lines.push('FAILED: the run ended early or met an error outside of a test');
  }
  lines.push(`${results?.numPassedTests ?? 0} passed, ${failed} failed, ${skipped} skipped`);
  return { lines, failed };
}
