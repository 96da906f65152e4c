import { extname } from 'node:path';

/** Whether content begins as a PDF does; something before it is forgiven where the name says so. */
export function isPdf(head: Buffer, name: string): boolean {
  const at = head.subarray(0, 1_024).indexOf('%PDF-');
  return at === 0 || (at > 0 && extname(name).toLowerCase() === '.pdf');
}

/** Whether content begins as one of the documents does that `documentText` may read. */
export function mayBeDocument(head: Buffer, name: string): boolean {
  return isPdf(head, name) || head.subarray(0, 4).equals(Buffer.from('PK\x03\x04'));
}
