/** Ends a switch that must be exhaustive: a new variant fails to compile here. */
export function assertNever(value: never): never {
  throw new Error(`unexpected variant: ${JSON.stringify(value)}`);
}
