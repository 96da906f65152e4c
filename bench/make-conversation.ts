import type { ChatMessage } from '@loom/shared/chat';
import type { JsonObject } from '@loom/shared/json';
import { createRandom, makeSentences, makeVocabulary } from './sentences.ts';

/** What came of a call: mostly a screen of text, now and then a long file or log. */
const resultChars = [80, 200, 400, 800, 1_600, 4_000];
const longResultChars = 30_000;
const files = 400;

/** A conversation as people have it with a model that works, turn by turn without end; the same in every run. */
export function* makeConversation(seed: number): Generator<ChatMessage[], never> {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const sentences = makeSentences(makeVocabulary(), 2_000).map((words) => `${words.join(' ')}.`);
  const say = (count: number) => Array.from({ length: count }, () => pick(sentences)).join(' ');
  const fill = (chars: number) => {
    let text = pick(sentences);
    while (text.length < chars) text += `\n${pick(sentences)}`;
    return text.slice(0, chars);
  };
  const pickCall = () => {
    const path = `src/part-${Math.floor(random() * files)}.ts`;
    return pick<{ name: string; arguments: JsonObject }>([
      { name: 'read_file', arguments: { path } },
      { name: 'search_files', arguments: { pattern: pick(sentences).slice(0, 12) } },
      { name: 'shell_execute', arguments: { command: `npx vitest run ${path}` } },
      { name: 'edit_file', arguments: { path, old_text: say(2), new_text: say(3) } },
    ]);
  };
  const ask = (): ChatMessage => {
    if (random() < 0.02) return { role: 'user', content: `Never touch ${pick(sentences)}` };
    const pasted = random() < 0.04 ? `\n\n${fill(6_000)}` : '';
    return { role: 'user', content: say(1 + Math.floor(random() * 3)) + pasted };
  };
  const exchange = (id: string): ChatMessage[] => {
    const calls = Array.from({ length: random() < 0.2 ? 2 : 1 }, (_, at) => ({
      id: `call_${id}_${at}`,
      ...pickCall(),
    }));
    const results = calls.map(
      (call): ChatMessage => ({
        role: 'tool',
        content: fill(random() < 0.01 ? longResultChars : pick(resultChars)),
        tool_call_id: call.id,
        tool_name: call.name,
        failed: random() < 0.1,
      }),
    );
    return [{ role: 'assistant', content: '', tool_calls: calls }, ...results];
  };
  for (let turn = 1; ; turn++) {
    const exchanges = Array.from({ length: Math.floor(random() * 5) }, (_, at) =>
      exchange(`${turn}_${at}`),
    );
    const answer = say(2 + Math.floor(random() * 5));
    yield [ask(), ...exchanges.flat(), { role: 'assistant', content: answer }];
  }
}
