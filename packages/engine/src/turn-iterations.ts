/** Model calls that a turn with todos gets on top of its own. */
const extension = 50;

/**
 * How many model calls a turn may make. One that has planned its work gets more; it keeps them when
 * the last todo is closed, since it still has to answer.
 */
export function turnIterationLimit(params: { base: number; open: number; done: number }): number {
  return params.open + params.done > 0 ? params.base + extension : params.base;
}
