/**
 * The text between a line `NAME:` and a line `END NAME`, trimmed; null when there is none.
 * Words behind `NAME:` are its label and count only when nothing else is there.
 */
export function readBlock(text: string, name: string): string | null {
  const block = new RegExp(`^${name}:[ \\t]*(.*)\\n([\\s\\S]*?)^END ${name}[ \\t]*$`, 'm');
  const [, label = '', body = ''] = block.exec(text) ?? [];
  return body.trim() || label.trim() || null;
}

/** The paths listed as `- path` after a line `NAME:` up to the first other line. */
export function readPaths(text: string, name: string): string[] {
  const lines = text.split('\n');
  const paths: string[] = [];
  let start = lines.findIndex((line) => line.trimEnd() === `${name}:`);
  if (start === -1) return [];
  for (start += 1; start < lines.length; start += 1) {
    const path = /^\s*-\s+(\S.*)$/.exec(lines[start] ?? '')?.[1];
    if (path === undefined) break;
    paths.push(path.trim());
  }
  return paths;
}

/** One file shown in a prompt as `FILE: path`, its content, `END FILE`. */
export interface ShownFile {
  path: string;
  content: string;
}

/** Every file shown in a prompt. */
export function readFiles(text: string): ShownFile[] {
  const blocks = text.matchAll(/^FILE:[ \t]*(.+)\n([\s\S]*?)^END FILE[ \t]*$/gm);
  return [...blocks].map(([, path = '', content = '']) => ({ path: path.trim(), content }));
}
