/** What the page's address names: a session, a message in it, a file that one of its tasks changed. */
export interface Address {
  session_id: string | null;
  message: number | null;
  file: { task_id: string; path: string } | null;
}

/** Reads `#ses_…?message=12&task=task_…&file=a.md`; what makes no sense is left out. */
export function readAddress(hash: string): Address {
  const [id = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  const words = new URLSearchParams(query);
  const message = Number(words.get('message'));
  const task_id = words.get('task');
  const path = words.get('file');
  return {
    session_id: id.startsWith('ses_') ? id : null,
    message: Number.isSafeInteger(message) && message > 0 ? message : null,
    file: task_id && path ? { task_id, path } : null,
  };
}

/** The address of a session, of a message or file in it; without a session, of a new one. */
export function writeAddress({ session_id, message, file }: Partial<Address>): string {
  if (!session_id) return '#';
  const words = new URLSearchParams();
  if (message) words.set('message', String(message));
  if (file) {
    words.set('task', file.task_id);
    words.set('file', file.path);
  }
  const query = words.toString();
  return query === '' ? `#${session_id}` : `#${session_id}?${query}`;
}
