/** A piece of an XML text; names come without their namespace prefix. */
export type XmlToken =
  | { kind: 'open' | 'close'; name: string; attributes: string }
  | { kind: 'text'; text: string };

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#x[\da-f]+|#\d+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
  });
}

/** The value of one attribute of a tag, or null; a prefix is part of the name. */
export function xmlAttribute(attributes: string, name: string): string | null {
  const value = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return value === null ? null : decode(value[1] ?? value[2] ?? '');
}

/** Where a construct that begins at `from` ends, behind `end`. */
function endOf(xml: string, end: string, from: number): number {
  const at = xml.indexOf(end, from);
  if (at === -1) throw new Error('the XML ends too early');
  return at + end.length;
}

/** Where a tag ends, behind its `>`; one inside quotes does not count. */
function endOfTag(xml: string, from: number): number {
  for (let at = from; at < xml.length; at++) {
    const char = xml[at];
    if (char === '>') return at + 1;
    if (char === '"' || char === "'") at = endOf(xml, char, at + 1) - 1;
  }
  throw new Error('the XML ends too early');
}

function* tagTokens(tag: string): Generator<XmlToken> {
  const closes = tag.startsWith('/');
  const empty = tag.endsWith('/');
  const inner = tag.slice(closes ? 1 : 0, empty ? -1 : undefined);
  const qualified = /^[^\s]*/.exec(inner)?.[0] ?? '';
  const name = qualified.slice(qualified.indexOf(':') + 1);
  const attributes = inner.slice(qualified.length);
  yield { kind: closes ? 'close' : 'open', name, attributes };
  if (empty) yield { kind: 'close', name, attributes: '' };
}

/**
 * The tags and texts of an XML text in order, in time that grows with its length alone. No tree is
 * built and no entity of the document's own is expanded, so a hostile document costs no more.
 */
export function* xmlTokens(xml: string): Generator<XmlToken> {
  let at = 0;
  while (at < xml.length) {
    const tag = xml.indexOf('<', at);
    const textEnd = tag === -1 ? xml.length : tag;
    if (textEnd > at) yield { kind: 'text', text: decode(xml.slice(at, textEnd)) };
    if (tag === -1) return;
    if (xml.startsWith('<![CDATA[', tag)) {
      at = endOf(xml, ']]>', tag);
      yield { kind: 'text', text: xml.slice(tag + 9, at - 3) };
    } else if (xml.startsWith('<!--', tag)) at = endOf(xml, '-->', tag + 4);
    else if (xml.startsWith('<?', tag)) at = endOf(xml, '?>', tag);
    else {
      at = endOfTag(xml, tag + 1);
      if (xml[tag + 1] !== '!') yield* tagTokens(xml.slice(tag + 1, at - 1));
    }
  }
}
