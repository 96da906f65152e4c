import { type TextReply, text } from '@loom/testing/scripted-model/replies';

/** What handling a poisonous reply does to the process that handles it. */
export const poisons = ['exit', 'memory', 'loop'] as const;
export type Poison = (typeof poisons)[number];

const mark = 'POISON-';

/** A model's reply that kills whoever reads it, each time anew. */
export function poisonedReply(poison: Poison): TextReply {
  return text(`${mark}${poison}`);
}

/** Runs in a process of the product: a defect in reading JSON, of the kind that no handler can catch. */
const defect = `
  const parse = JSON.parse;
  const read = (text, ...rest) => {
    if (typeof text === 'string' && text.includes('${mark}exit')) process.exit(3);
    if (typeof text === 'string' && text.includes('${mark}memory')) {
      for (const held = []; ; ) held.push(new Array(1e6).fill(held.length + 0.5));
    }
    while (typeof text === 'string' && text.includes('${mark}loop'));
    return parse(text, ...rest);
  };
  JSON.parse = read;
`;

/** The environment of processes that have the defect. Their memory is small, so that it is soon full. */
export const poisonableEnv = {
  NODE_OPTIONS: `--max-old-space-size=256 --import=data:text/javascript,${encodeURIComponent(defect)}`,
};
