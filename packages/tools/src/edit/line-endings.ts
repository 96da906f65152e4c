/** Text with plain line feeds, as models write it. */
export function toLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Whether most lines of a text end with CRLF. */
export function usesCrlf(text: string): boolean {
  const crlf = text.split('\r\n').length - 1;
  return crlf * 2 > text.split('\n').length - 1;
}

/** Where an offset in `toLineFeeds(text)` lies in `text`. */
export function offsetInOriginal(text: string, offset: number): number {
  let original = 0;
  for (let plain = 0; plain < offset; plain++) {
    original += text.charCodeAt(original) === 13 && text.charCodeAt(original + 1) === 10 ? 2 : 1;
  }
  return original;
}
