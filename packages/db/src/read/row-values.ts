/** A timestamp column as the ISO 8601 text of the contract. */
export function toIso(value: Date): string {
  return value.toISOString();
}

/** The same for a column that may be empty. */
export function toIsoOrNull(value: Date | null): string | null {
  return value === null ? null : value.toISOString();
}
