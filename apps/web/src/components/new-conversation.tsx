import { firstLine } from '@loom/shared/text';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createSession, sendTurn } from '../http/gateway.ts';
import { openAddress } from '../state/use-address.ts';
import { Composer } from './composer.tsx';

const examples = [
  'Write a short note about rivers, a short note about mountains, and an index of both',
  'Read the README and list what a newcomer would not understand',
  'List what is unfinished in this workspace, file by file',
];

/** An empty page to begin from: the session is made when the first message is sent. */
export function NewConversation() {
  const [draft, setDraft] = useState('');
  const queries = useQueryClient();
  const send = async (content: string) => {
    const session = await createSession(firstLine(content, 200));
    await sendTurn(session.id, content);
    await queries.invalidateQueries({ queryKey: ['sessions'] });
    openAddress({ session_id: session.id });
  };
  return (
    <main className="flex min-h-0 flex-1 flex-col overflow-y-auto px-4 md:px-6">
      <div className="appear mx-auto flex w-full max-w-2xl flex-1 flex-col justify-center gap-6 pb-[12vh]">
        <div>
          <h2 className="font-semibold text-[26px] leading-tight tracking-tight">
            What should we get done?
          </h2>
          <p className="mt-1.5 text-soft">
            Ask, or hand over a larger piece of work: it is planned, run in parallel and checked.
          </p>
        </div>
        <Composer
          draft={draft}
          onDraft={setDraft}
          onSend={send}
          placeholder="Describe the work…"
          mode="ready"
        />
        <ul className="-mt-2 space-y-0.5">
          {examples.map((example) => (
            <li key={example}>
              <button
                type="button"
                onClick={() => {
                  setDraft(example);
                  document.getElementById('composer')?.focus();
                }}
                className="w-full rounded-lg px-4 py-1.5 text-left text-faint text-sm hover:bg-hover hover:text-ink"
              >
                {example}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </main>
  );
}
