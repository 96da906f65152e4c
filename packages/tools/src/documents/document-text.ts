import { extname } from 'node:path';
import { brokenDocument } from './broken-document.ts';
import { isPdf, mayBeDocument } from './may-be-document.ts';
import { type Archive, openArchive } from './open-archive.ts';
import { pdfText } from './pdf-text.ts';
import { type ReadingTime, readingTime } from './read-xml.ts';
import { sheetsText } from './sheets-text.ts';
import { slidesText } from './slides-text.ts';
import { wordText } from './word-text.ts';

/** What a document of a known kind says, as text. */
export interface DocumentText {
  kind: 'pdf' | 'docx' | 'pptx' | 'xlsx';
  text: string;
}

interface OfficeFormat {
  kind: DocumentText['kind'];
  words: string;
  /** The part that every file of this format has. */
  part: string;
  read(archive: Archive, time: ReadingTime): Promise<string>;
}

const officeFormats: OfficeFormat[] = [
  { kind: 'docx', words: 'a Word document', part: 'word/document.xml', read: wordText },
  { kind: 'pptx', words: 'a presentation', part: 'ppt/presentation.xml', read: slidesText },
  { kind: 'xlsx', words: 'a workbook', part: 'xl/workbook.xml', read: sheetsText },
];

async function officeText(
  content: Buffer,
  name: string,
  signal: AbortSignal,
): Promise<DocumentText | null> {
  const named = officeFormats.find(({ kind }) => extname(name).toLowerCase() === `.${kind}`);
  let words = named?.words ?? 'a document';
  try {
    const archive = await openArchive(content);
    const format = officeFormats.find(({ part }) => archive.names.includes(part));
    if (format === undefined) return null;
    words = format.words;
    return { kind: format.kind, text: await format.read(archive, readingTime(signal)) };
  } catch (error) {
    signal.throwIfAborted();
    throw brokenDocument(name, words, error);
  }
}

/**
 * The text of a PDF, Word, PowerPoint or Excel file, known by its bytes, or null for anything else.
 * A broken or oversized document is refused with one sentence that calls it by `name`.
 */
export async function documentText(
  content: Buffer,
  name: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<DocumentText | null> {
  if (!mayBeDocument(content, name)) return null;
  if (!isPdf(content, name)) return officeText(content, name, signal);
  try {
    return { kind: 'pdf', text: await pdfText(content, signal) };
  } catch (error) {
    signal.throwIfAborted();
    throw brokenDocument(name, 'a PDF', error);
  }
}
