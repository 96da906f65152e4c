import { cutText } from '@loom/shared/text';
import { documentLimits } from './document-limits.ts';

/** Collects a document's lines up to the limit and remembers that there was more. */
export class TextCollector {
  readonly #lines: string[] = [];
  #chars = 0;
  #full = false;

  get full(): boolean {
    return this.#full;
  }

  add(line: string): void {
    if (this.#full) return;
    const room = documentLimits.max_chars - this.#chars;
    this.#full = line.length > room;
    this.#lines.push(this.#full ? cutText(line, room) : line);
    this.#chars += line.length + 1;
  }

  text(): string {
    const text = this.#lines.join('\n').trim();
    return this.#full ? `${text}\n[the document goes on; this is its beginning]` : text;
  }
}
