const tokens =
  /<!--|<(\/?)([a-z][a-z0-9]*)[^<>]*>|&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi;
const hidden = new Set(['script', 'style', 'noscript', 'template', 'iframe', 'svg']);
const inline = new Set(
  'a abbr b bdi bdo cite code em font i img kbd mark q s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
);
const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** The words of a page and nothing else, in one pass: for pages that are too much for a parser. */
export function plainHtmlText(html: string): string {
  const parts: string[] = [];
  const find = new RegExp(tokens);
  let from = 0;
  for (let found = find.exec(html); found !== null; found = find.exec(html)) {
    parts.push(html.slice(from, found.index));
    const [token, closing, tag, decimal, hex, name] = found;
    from = find.lastIndex;
    if (token === '<!--') from = endOf(html, '-->', from);
    else if (tag === undefined) parts.push(character(token, decimal, hex, name));
    else if (closing === '' && hidden.has(tag.toLowerCase())) from = endOfElement(html, tag, from);
    else if (!inline.has(tag.toLowerCase())) parts.push('\n');
    find.lastIndex = from;
  }
  parts.push(html.slice(from));
  return parts
    .join('')
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n[ \n]*/g, '\n')
    .trim();
}

// What is never closed hides the rest.
function endOf(html: string, text: string, from: number): number {
  const at = html.indexOf(text, from);
  return at === -1 ? html.length : at + text.length;
}

function endOfElement(html: string, tag: string, from: number): number {
  const close = new RegExp(`</${tag}[^<>]*>`, 'gi');
  close.lastIndex = from;
  return close.test(html) ? close.lastIndex : html.length;
}

function character(token: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return named[name.toLowerCase()] ?? token;
  const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : token;
}
