/** The part of a prompt that tells what users corrected before; null when there is nothing to tell. */
export function learnedSection(rules: readonly string[]): string | null {
  if (rules.length === 0) return null;
  return [
    'Learned from corrections the user made before. Follow these unless the user now says otherwise:',
    ...rules.map((rule) => `- ${rule.replace(/\s+/g, ' ').trim()}`),
  ].join('\n');
}
