import { useEffect, useState } from 'react';
import type { Me } from '../http/gateway.ts';
import { useSessionAddress } from '../state/use-session-address.ts';
import { Conversation } from './conversation.tsx';
import { ModelBanner } from './model-banner.tsx';
import { NewConversation } from './new-conversation.tsx';
import { Sidebar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';

/** Sessions on the left, the open conversation beside them. */
export function Workspace({ me }: { me: Me }) {
  const sessionId = useSessionAddress();
  const [isMenuOpen, setMenuOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: choosing a session closes the menu
  useEffect(() => setMenuOpen(false), [sessionId]);
  return (
    <div className="flex h-full">
      <Sidebar
        me={me}
        sessionId={sessionId}
        isOpen={isMenuOpen}
        onClose={() => setMenuOpen(false)}
      />
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar me={me} sessionId={sessionId} onMenu={() => setMenuOpen(true)} />
        <ModelBanner model={me.model} />
        {sessionId === null ? (
          <NewConversation />
        ) : (
          <Conversation key={sessionId} sessionId={sessionId} />
        )}
      </div>
    </div>
  );
}
