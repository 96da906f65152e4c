/** What a command tells the shell; listed in `loom --help`. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  not_verified: 3,
  unreachable: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The table as shown in help. */
export const exitCodesHelp = `
Exit codes:
  0    ok; a task completed and was verified
  1    failed or cancelled
  2    wrong usage
  3    a task completed, but not all of it could be verified
  4    the gateway cannot be reached
  130  interrupted

Results go to stdout, everything else to stderr.`;
