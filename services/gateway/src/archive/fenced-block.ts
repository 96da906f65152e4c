/** A text as a Markdown code block that nothing in the text can close. */
export function fencedBlock(text: string, language = ''): string {
  const fence = fenceFor(text);
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** The shorter of the two kinds of fence, longer than any run of its character. */
function fenceFor(text: string): string {
  const [backticks, tildes] = ['`', '~'].map((char) =>
    char.repeat(Math.max(3, longestRun(text, char) + 1)),
  ) as [string, string];
  return tildes.length < backticks.length ? tildes : backticks;
}

function longestRun(text: string, char: string): number {
  let longest = 0;
  for (let at = text.indexOf(char); at !== -1; at = text.indexOf(char, at)) {
    const start = at;
    while (text[at] === char) at += 1;
    longest = Math.max(longest, at - start);
  }
  return longest;
}
