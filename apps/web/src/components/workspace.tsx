import { useEffect, useState } from 'react';
import type { Me } from '../http/gateway.ts';
import { openAddress, useAddress } from '../state/use-address.ts';
import { Conversation } from './conversation.tsx';
import { FileDialog } from './file-dialog.tsx';
import { ModelBanner } from './model-banner.tsx';
import { NewConversation } from './new-conversation.tsx';
import { SearchPanel } from './search-panel.tsx';
import { Sidebar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';

/** Sessions on the left, the open conversation beside them. */
export function Workspace({ me }: { me: Me }) {
  const address = useAddress();
  const sessionId = address.session_id;
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isSearching, setSearching] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: choosing a session closes what was open
  useEffect(() => {
    setMenuOpen(false);
    setSearching(false);
  }, [sessionId]);
  return (
    <div className="flex h-full">
      <Sidebar
        me={me}
        sessionId={sessionId}
        isOpen={isMenuOpen}
        onClose={() => setMenuOpen(false)}
      />
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar
          me={me}
          sessionId={sessionId}
          onMenu={() => setMenuOpen(true)}
          isSearching={isSearching}
          onSearch={() => setSearching(!isSearching)}
        />
        <ModelBanner model={me.model} />
        {sessionId !== null && isSearching && (
          <SearchPanel
            sessionId={sessionId}
            onClose={() => {
              setSearching(false);
              document.getElementById('search-toggle')?.focus();
            }}
          />
        )}
        {sessionId === null ? (
          <NewConversation />
        ) : (
          <Conversation key={sessionId} sessionId={sessionId} focus={address.message} />
        )}
        {sessionId !== null && address.file && (
          <FileDialog
            key={`${address.file.task_id} ${address.file.path}`}
            taskId={address.file.task_id}
            path={address.file.path}
            onClose={() => openAddress({ ...address, file: null })}
          />
        )}
      </div>
    </div>
  );
}
