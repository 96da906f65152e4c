/**
 * Named instants between two writes at which a test may kill the process.
 * The crash suite reads this list, so a new point without a test fails.
 */
export const faultPoints = [
  'commit.before',
  'commit.after',
  'ring.after',
  'claim.after',
  'model.before',
  'model.after',
  'journal.after',
  'tool.before',
  'change.kept',
  'tool.after',
  'verdict.before',
] as const;
export type FaultPoint = (typeof faultPoints)[number];

let armed: { point: FaultPoint; hitsLeft: number } | null = null;

/** Arms one point: the process dies, as by `kill -9`, when it is reached for the n-th time. */
export function armFaultPoint(point: FaultPoint, hit: number): void {
  armed = { point, hitsLeft: hit };
}

/** Marks an instant. Costs one comparison unless a test armed it. */
export function faultPoint(point: FaultPoint): void {
  if (armed === null || armed.point !== point) return;
  armed.hitsLeft -= 1;
  if (armed.hitsLeft <= 0) process.kill(process.pid, 'SIGKILL');
}
