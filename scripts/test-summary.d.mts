interface TestRun {
  /** What vitest's JSON reporter wrote; null when it wrote nothing. */
  results: {
    numPassedTests: number;
    numFailedTests: number;
    numPendingTests: number;
    numTodoTests: number;
    testResults: {
      name: string;
      status: string;
      assertionResults: { status: string; fullName: string }[];
    }[];
  } | null;
  code: number | null;
  missing: { name: string; wanted: string; projects: string[] }[];
  required: string[];
  root: string;
}

export function summariseResults(run: TestRun): { lines: string[]; failed: number };
