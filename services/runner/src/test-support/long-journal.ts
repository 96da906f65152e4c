import type { ChatMessage } from '@loom/shared/chat';

/** An exchange of one message with calls and the results of all of them. */
export interface Exchange {
  text: string;
  /** Length of the arguments and of the output of each call. */
  calls: { name: string; argument: string; output: string }[];
  /** What a person says after it. */
  said: string | null;
}

/** A journal of such exchanges; call ids count up. */
export function journalOf(exchanges: readonly Exchange[]): ChatMessage[] {
  let id = 0;
  return exchanges.flatMap(({ text, calls, said }) => {
    const named = calls.map((call) => ({ ...call, id: `call-${++id}` }));
    const tool_calls = named.map(({ id, name, argument }) => ({
      id,
      name,
      arguments: { path: 'a.md', content: argument },
    }));
    return [
      { role: 'assistant' as const, content: text, ...(calls.length === 0 ? {} : { tool_calls }) },
      ...named.map(({ id, name, output }) => ({
        role: 'tool' as const,
        content: output,
        tool_call_id: id,
        tool_name: name,
      })),
      ...(said === null ? [] : [{ role: 'user' as const, content: said }]),
    ];
  });
}

/** As many exchanges of one call as wanted, with outputs of this length. */
export function longJournal(exchanges: number, outputChars: number): ChatMessage[] {
  return journalOf(
    Array.from({ length: exchanges }, (_, index) => ({
      text: `Step ${index}. ${'I think about it. '.repeat(60)}`,
      calls: [
        {
          name: 'read_file',
          argument: `${index} ${'x'.repeat(2_000)}`,
          output: `exit code 0\n${`line of src/file-${index}.ts\n`.repeat(outputChars / 22)}af_${index}\nlast line`,
        },
      ],
      said: null,
    })),
  );
}
