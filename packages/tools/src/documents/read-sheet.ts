import { dateOfSerial } from './date-styles.ts';
import { type ReadingTime, readXml } from './read-xml.ts';
import type { TextCollector } from './text-collector.ts';
import { xmlAttribute } from './xml-tokens.ts';

const maxColumns = 16_384;

/** The position of a cell in its row, from a reference like `AB12`; null when it has none. */
function columnOf(reference: string | null): number | null {
  const letters = /^[A-Z]+/.exec(reference ?? '')?.[0];
  if (letters === undefined) return null;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return Math.min(column, maxColumns) - 1;
}

/** What cells refer to in the rest of their workbook. */
export interface Workbook {
  strings: readonly string[];
  date_styles: ReadonlySet<number>;
  epoch: 1900 | 1904;
}

interface Cell {
  type: string | null;
  style: number;
  value: string;
}

function shownValue({ type, style, value }: Cell, workbook: Workbook): string {
  if (type === 's') return workbook.strings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  const isNumber = (type === null || type === 'n') && value !== '';
  if (!isNumber || !workbook.date_styles.has(style)) return value;
  return dateOfSerial(Number(value), workbook.epoch) ?? value;
}

/** Adds the rows of one sheet that have a value; line breaks and tabs in cells become spaces. */
export async function readSheet(
  xml: string,
  workbook: Workbook,
  text: TextCollector,
  time: ReadingTime,
): Promise<void> {
  let row: string[] = [];
  let column = 0;
  let cell: Cell = { type: null, style: 0, value: '' };
  let inValue = false;
  const endCell = () => {
    const shown = shownValue(cell, workbook).replace(/[\t\r\n]+/g, ' ');
    while (row.length < column) row.push('');
    row[column] = shown;
    column += 1;
  };
  await readXml(xml, time, (token) => {
    if (text.full) return false;
    if (token.kind === 'text') {
      if (inValue) cell.value += token.text;
    } else if (token.name === 'v' || token.name === 't') inValue = token.kind === 'open';
    else if (token.name === 'c' && token.kind === 'open') {
      column = columnOf(xmlAttribute(token.attributes, 'r')) ?? column;
      const type = xmlAttribute(token.attributes, 't');
      cell = { type, style: Number(xmlAttribute(token.attributes, 's') ?? 0), value: '' };
    } else if (token.name === 'c') endCell();
    else if (token.name === 'row' && token.kind === 'close') {
      const line = row.join('\t').trimEnd();
      if (line !== '') text.add(line);
      row = [];
      column = 0;
    }
  });
}
