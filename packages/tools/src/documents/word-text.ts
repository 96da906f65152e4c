import type { Archive } from './open-archive.ts';
import { type ReadingTime, readXml } from './read-xml.ts';
import { TextCollector } from './text-collector.ts';

/** One table cell, or the body: lines of text that belong together. */
interface Block {
  line: string;
  lines: string[];
  /** Cells of the table row that is being read in this block. */
  cells: string[];
}

const newBlock = (): Block => ({ line: '', lines: [], cells: [] });

/** The paragraphs of a Word document in order; table rows as cells with tabs between. */
export async function wordText(archive: Archive, time: ReadingTime): Promise<string> {
  const text = new TextCollector();
  const blocks: Block[] = [newBlock()];
  let inText = false;
  let skipped = 0;
  const block = () => blocks.at(-1) ?? newBlock();
  const endLine = (line: string) => {
    if (blocks.length === 1) text.add(line);
    else block().lines.push(line);
  };
  const onOpen = (name: string) => {
    if (name === 't') inText = true;
    else if (name === 'tab') block().line += '\t';
    else if (name === 'br' || name === 'cr') block().line += '\n';
    else if (name === 'tc') blocks.push(newBlock());
    // The same content again, for programs that do not know a newer form of it.
    else if (name === 'Fallback') skipped += 1;
  };
  const onClose = (name: string) => {
    if (name === 't') inText = false;
    else if (name === 'p') {
      endLine(block().line);
      block().line = '';
    } else if (name === 'tc' && blocks.length > 1) {
      const cell = blocks.pop();
      block().cells.push((cell?.lines ?? []).join(' ').replace(/\s+/g, ' ').trim());
    } else if (name === 'tr') {
      endLine(block().cells.join('\t'));
      block().cells = [];
    }
  };
  await readXml((await archive.read('word/document.xml')) ?? '', time, (token) => {
    if (text.full) return false;
    if (skipped > 0) {
      if (token.kind !== 'text' && token.name === 'Fallback') {
        skipped += token.kind === 'open' ? 1 : -1;
      }
    } else if (token.kind === 'text') {
      if (inText) block().line += token.text;
    } else if (token.kind === 'open') onOpen(token.name);
    else onClose(token.name);
  });
  return text.text();
}
