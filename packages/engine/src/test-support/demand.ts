/** Throws when a rule does not hold; one whose wording takes work is worded only then. */
export function demand(holds: boolean, rule: string | (() => string)): asserts holds {
  if (holds) return;
  throw new Error(`broken rule: ${typeof rule === 'string' ? rule : rule()}`);
}
