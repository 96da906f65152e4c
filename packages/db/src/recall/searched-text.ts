const longest = 20_000;
const text = `CASE WHEN octet_length(content) > ${longest} THEN left(content, ${longest}) ELSE content END`;

/** What the letters of a query are looked for in: the beginning of a message in lower case. */
export function searchedText(query: string): string {
  // For ASCII letters this takes a third of the time.
  const collation = /^\p{ASCII}*$/u.test(query) ? ' COLLATE "C"' : '';
  return `lower((${text})${collation})`;
}
