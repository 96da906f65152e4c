export interface Check {
  name: string;
  program: string;
  args: string[];
}

export const checks: Check[];

export function runCheck(check: Check): Promise<{ passed: boolean; output: string }>;
