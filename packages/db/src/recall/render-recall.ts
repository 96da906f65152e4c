import type { RecallMessage } from './recall-message.ts';

const charsPerToken = 4;
// What a cut message keeps at least: enough to know whether to ask for it alone.
const smallestCut = 240;

/** Prints messages within a token bound: long tool results are cut first, then the rest, then the tail goes. */
export function renderRecall(
  heading: string,
  messages: RecallMessage[],
  maxTokens: number,
): string {
  const budget = maxTokens * charsPerToken - heading.length - 200;
  const bodies = messages.map(bodyOf);
  const isTool = messages.map(({ role }) => role === 'tool');
  const lengths = bodies.map(({ length }) => length);
  cutToFit(lengths, (index) => isTool[index] === true, budget);
  cutToFit(lengths, () => true, budget);

  const blocks: string[] = [];
  let used = 0;
  for (const [index, message] of messages.entries()) {
    const block = renderBlock(message, bodies[index] ?? '', lengths[index] ?? 0);
    if (used + block.length > budget) {
      blocks.push(`(${messages.length - index} more not shown: ask for a smaller range)`);
      break;
    }
    blocks.push(block);
    used += block.length + 2;
  }
  return [heading, ...blocks].join('\n\n');
}

/** Lowers the longest of the chosen lengths to one common bound, until everything fits. */
function cutToFit(lengths: number[], chosen: (index: number) => boolean, budget: number): void {
  const overhead = lengths.length * 100;
  const total = lengths.reduce((sum, length) => sum + length, overhead);
  if (total <= budget) return;
  const own = lengths.filter((_, index) => chosen(index)).sort((a, b) => a - b);
  let room = budget - (total - own.reduce((sum, length) => sum + length, 0));
  let cap = smallestCut;
  for (const [index, length] of own.entries()) {
    const share = Math.floor(room / (own.length - index));
    if (length > share) {
      cap = Math.max(smallestCut, share);
      break;
    }
    room -= length;
  }
  for (const [index, length] of lengths.entries()) {
    if (chosen(index) && length > cap) lengths[index] = cap;
  }
}

function renderBlock(message: RecallMessage, body: string, length: number): string {
  const text = body.length <= length ? body : `${body.slice(0, length).toWellFormed()}\n… (cut)`;
  return `[Turn ${message.number}] ${message.role}:\n${text}`;
}

/** The indented text: calls are listed below an assistant's words, a result names its tool. */
function bodyOf(message: RecallMessage): string {
  const lines = message.content === '' ? [] : message.content.split('\n');
  if (message.role === 'tool') lines.unshift(`(result of ${message.tool_name ?? 'a tool'})`);
  for (const call of message.tool_calls ?? []) {
    lines.push(`-> ${call.name} ${JSON.stringify(call.arguments)}`);
  }
  return lines.map((line) => `  ${line}`).join('\n');
}
