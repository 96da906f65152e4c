import { dateStyles } from './date-styles.ts';
import type { Archive } from './open-archive.ts';
import { readSheet, type Workbook } from './read-sheet.ts';
import { type ReadingTime, readXml } from './read-xml.ts';
import { TextCollector } from './text-collector.ts';
import { xmlAttribute } from './xml-tokens.ts';

async function sharedStrings(archive: Archive, time: ReadingTime): Promise<string[]> {
  const strings: string[] = [];
  let inText = false;
  let phonetic = false;
  await readXml((await archive.read('xl/sharedStrings.xml')) ?? '', time, (token) => {
    if (token.kind === 'text') {
      if (inText && !phonetic) strings.push(`${strings.pop() ?? ''}${token.text}`);
    } else if (token.name === 'si' && token.kind === 'open') strings.push('');
    else if (token.name === 't') inText = token.kind === 'open';
    else if (token.name === 'rPh') phonetic = token.kind === 'open';
  });
  return strings;
}

/** Sheets in the order of the workbook, each with the part that holds it, and its first day. */
async function readWorkbook(archive: Archive, time: ReadingTime) {
  const parts = new Map<string, string>();
  await readXml((await archive.read('xl/_rels/workbook.xml.rels')) ?? '', time, (token) => {
    if (token.kind !== 'open' || token.name !== 'Relationship') return;
    const id = xmlAttribute(token.attributes, 'Id');
    const target = xmlAttribute(token.attributes, 'Target');
    if (id === null || target === null) return;
    parts.set(id, target.startsWith('/') ? target.slice(1) : `xl/${target}`);
  });
  const sheets: { name: string; part: string }[] = [];
  let epoch: Workbook['epoch'] = 1900;
  await readXml((await archive.read('xl/workbook.xml')) ?? '', time, (token) => {
    if (token.kind !== 'open') return;
    if (token.name === 'workbookPr') {
      const flag = xmlAttribute(token.attributes, 'date1904');
      if (flag === '1' || flag === 'true') epoch = 1904;
    }
    if (token.name !== 'sheet') return;
    const part = parts.get(xmlAttribute(token.attributes, '\\w+:id') ?? '');
    if (part === undefined) return;
    sheets.push({ name: xmlAttribute(token.attributes, 'name') ?? part, part });
  });
  return { sheets, epoch };
}

/** The cells of a workbook, sheet by sheet, each row with tabs between. */
export async function sheetsText(archive: Archive, time: ReadingTime): Promise<string> {
  const text = new TextCollector();
  const { sheets, epoch } = await readWorkbook(archive, time);
  const strings = await sharedStrings(archive, time);
  const workbook = { strings, epoch, date_styles: await dateStyles(archive, time) };
  for (const { name, part } of sheets) {
    if (text.full) break;
    text.add(`--- Sheet ${name} ---`);
    await readSheet((await archive.read(part)) ?? '', workbook, text, time);
  }
  return text.text();
}
