const buckets = 128;

/** How often each character occurs; characters beyond ASCII share buckets. */
type CharacterProfile = Uint32Array;

/** An empty profile to which lines are added. */
export function emptyProfile(): CharacterProfile {
  return new Uint32Array(buckets);
}

/** Adds a line to a profile, or takes it away with `weight` -1. */
export function addLine(profile: CharacterProfile, line: string, weight: 1 | -1): void {
  for (let index = 0; index < line.length; index++) {
    const bucket = line.charCodeAt(index) % buckets;
    profile[bucket] = (profile[bucket] ?? 0) + weight;
  }
}

/** The number of characters two profiles share: never less than any alignment can reach. */
export function sharedCharacters(a: CharacterProfile, b: CharacterProfile): number {
  let shared = 0;
  for (let bucket = 0; bucket < buckets; bucket++) {
    shared += Math.min(a[bucket] ?? 0, b[bucket] ?? 0);
  }
  return shared;
}
