import { smallTalk } from './fact-words.ts';
import { createPicker, type Fact, factKinds, makeFact } from './make-facts.ts';

/** A message of the corpus; facts that are asked about have one. */
export interface CorpusMessage {
  number: number;
  role: string;
  content: string;
  tool_name: string | null;
  fact: Fact | null;
}

const shareOfSmallTalk = 40;

/** A long conversation of facts among small talk and other facts in the same words. */
export function makeCorpus(seed: number, size: number): CorpusMessage[] {
  const picker = createPicker(seed);
  return Array.from({ length: size }, (_, index) => {
    const number = index + 1;
    if (picker.below(100) < shareOfSmallTalk) {
      const role = index % 2 === 0 ? 'user' : 'assistant';
      return { number, role, content: picker.of(smallTalk), tool_name: null, fact: null };
    }
    const fact = makeFact(picker.of(factKinds), picker);
    const tool_name = fact.role === 'tool' ? picker.of(['edit_file', 'shell_execute']) : null;
    return { number, role: fact.role, content: fact.text, tool_name, fact };
  });
}
