import { plainText } from './plain-text.ts';

/** Columns aligned with spaces, one row a line, no trailing blanks. */
export function renderTable(header: string[], rows: string[][]): string {
  const lines = [header, ...rows].map((row) =>
    row.map((cell) => plainText(cell).replaceAll('\n', ' ')),
  );
  const widths = header.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
