const answers: Record<string, 'approve' | 'deny'> = {
  yes: 'approve',
  y: 'approve',
  ja: 'approve',
  ok: 'approve',
  okay: 'approve',
  approve: 'approve',
  'go ahead': 'approve',
  no: 'deny',
  n: 'deny',
  nein: 'deny',
  deny: 'deny',
};

/** What a plain yes or no decides; null for everything that says more than that. */
export function plainAnswer(text: string): 'approve' | 'deny' | null {
  const word = text
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, '');
  return Object.hasOwn(answers, word) ? (answers[word] ?? null) : null;
}
