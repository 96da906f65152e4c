import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

const keptLines = 200;

/** The last lines of a process, for failure messages. */
export class OutputLog {
  #lines: string[] = [];

  /** Collects both streams of a child until they end. */
  collect(child: ChildProcess): void {
    this.#add(`--- process ${child.pid}`);
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#add(line));
    }
  }

  text(): string {
    return this.#lines.join('\n');
  }

  #add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > keptLines) this.#lines.shift();
  }
}
