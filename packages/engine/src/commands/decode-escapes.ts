const simple: Record<string, string> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const escapes =
  /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|([\s\S]))/g;

/** The text that a shell makes of backslash escapes, as in `$'…'` and `printf`. */
export function decodeEscapes(text: string): string {
  return text.replace(escapes, (_, hex, short, long, octal, control, other) => {
    const digits = hex ?? short ?? long;
    if (digits !== undefined) return codePoint(Number.parseInt(digits, 16));
    if (octal !== undefined) return codePoint(Number.parseInt(octal, 8) & 0xff);
    if (control !== undefined) return codePoint(control.charCodeAt(0) & 0x1f);
    return simple[other] ?? other;
  });
}

/** The same for `echo -e`, which writes octal numbers with a zero before them. */
export function decodeEchoEscapes(text: string): string {
  return decodeEscapes(
    text.replace(/(\\\\)|\\0([0-7]{1,3})/g, (found, kept, octal) =>
      kept === undefined ? `\\${octal}` : found,
    ),
  );
}

function codePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
}
