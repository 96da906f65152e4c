import type { Archive } from './open-archive.ts';
import { type ReadingTime, readXml } from './read-xml.ts';
import { TextCollector } from './text-collector.ts';

const slideName = /^ppt\/slides\/slide(\d+)\.xml$/;

async function addSlide(xml: string, text: TextCollector, time: ReadingTime): Promise<void> {
  let line = '';
  let inText = false;
  await readXml(xml, time, (token) => {
    if (text.full) return false;
    if (token.kind === 'text') {
      if (inText) line += token.text;
      return;
    }
    if (token.name === 't') inText = token.kind === 'open';
    else if (token.name === 'br' && token.kind === 'open') line += '\n';
    else if (token.name === 'p' && token.kind === 'close') {
      if (line.trim() !== '') text.add(line);
      line = '';
    }
  });
}

/** The paragraphs of a presentation, slide by slide in the order of their numbers. */
export async function slidesText(archive: Archive, time: ReadingTime): Promise<string> {
  const text = new TextCollector();
  const slides = archive.names
    .map((name) => ({ name, number: Number(slideName.exec(name)?.[1]) }))
    .filter(({ number }) => number > 0)
    .sort((a, b) => a.number - b.number);
  for (const { name, number } of slides) {
    if (text.full) break;
    text.add(`--- Slide ${number} ---`);
    await addSlide((await archive.read(name)) ?? '', text, time);
  }
  return text.text();
}
