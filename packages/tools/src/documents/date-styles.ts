import type { Archive } from './open-archive.ts';
import { type ReadingTime, readXml } from './read-xml.ts';
import { xmlAttribute } from './xml-tokens.ts';

/** Number formats of dates and times that every workbook has without naming them. */
const isBuiltInDate = (id: number) => (id >= 14 && id <= 22) || (id >= 45 && id <= 47);

/** Whether a format has a part for days or hours, outside of quotes, escapes and colours. */
function isDateCode(code: string): boolean {
  return /[ymdhs]/i.test(code.replace(/"[^"]*"|\\.|_.|\[(?![hms]+\])[^\]]*\]/gi, ''));
}

/** The cell styles of a workbook that show a number as a date or a time. */
export async function dateStyles(archive: Archive, time: ReadingTime): Promise<Set<number>> {
  const custom = new Map<number, boolean>();
  const styles = new Set<number>();
  let inCellStyles = false;
  let count = 0;
  await readXml((await archive.read('xl/styles.xml')) ?? '', time, (token) => {
    if (token.kind === 'text') return;
    if (token.name === 'cellXfs') inCellStyles = token.kind === 'open';
    if (token.kind === 'close') return;
    const id = Number(xmlAttribute(token.attributes, 'numFmtId') ?? Number.NaN);
    if (token.name === 'numFmt') {
      custom.set(id, isDateCode(xmlAttribute(token.attributes, 'formatCode') ?? ''));
    } else if (token.name === 'xf' && inCellStyles) {
      if (custom.get(id) ?? isBuiltInDate(id)) styles.add(count);
      count += 1;
    }
  });
  return styles;
}

/** The last day that a workbook can name. */
const lastSerial = 2_958_466;
const firstDay = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) };

/** A number of days as the date it stands for; without a whole day it is a time. */
export function dateOfSerial(serial: number, epoch: keyof typeof firstDay): string | null {
  if (!(serial >= 0 && serial < lastSerial)) return null;
  const date = new Date(firstDay[epoch] + Math.round(serial * 86_400) * 1_000).toISOString();
  const [day, clock] = [date.slice(0, 10), date.slice(11, 19)];
  if (Number.isInteger(serial)) return day;
  return serial < 1 ? clock : `${day} ${clock}`;
}
