import type { Approval } from '@loom/shared/approval';
import { assertNever } from '@loom/shared/assert-never';
import { memo } from 'react';
import type { TaskView } from '../state/task-view.ts';
import type { TranscriptItem } from '../state/transcript.ts';
import { ApprovalCard } from './approval-card.tsx';
import { AssistantMessage } from './assistant-message.tsx';
import { DeliveredMessage } from './delivered-message.tsx';
import { Question } from './question.tsx';
import { TaskCard } from './task-card.tsx';
import { Thinking } from './thinking.tsx';
import { ToolLine } from './tool-line.tsx';
import { TurnNotice } from './turn-notice.tsx';
import { UserMessage } from './user-message.tsx';

interface TranscriptEntryProps {
  item: TranscriptItem;
  task: TaskView | undefined;
  taskApprovals: Approval[];
  isNewestTask: boolean;
  /** The message that was looked for is in it. */
  isFocused: boolean;
  onTaskNeeded: (taskId: string) => void;
  onApproval: (approval: Approval) => void;
  onAnswer: ((text: string) => Promise<void>) | undefined;
}

/** Draws one thing of the conversation. */
export function TranscriptEntry(props: TranscriptEntryProps) {
  const { item } = props;
  switch (item.kind) {
    case 'user':
      return <UserMessage text={item.message.content} isQueued={item.is_queued} />;
    case 'assistant':
      return <AssistantText text={item.text} isLive={item.is_live} />;
    case 'tool':
      return <ToolLine use={item.use} isFocused={props.isFocused} />;
    case 'delivered':
      return <DeliveredMessage text={item.text} isFocused={props.isFocused} />;
    case 'approval':
      return <ApprovalCard approval={item.approval} onDecided={props.onApproval} />;
    case 'question':
      return <Question use={item.use} onAnswer={props.onAnswer} />;
    case 'task':
      return props.task ? (
        <TaskCard
          task={props.task}
          approvals={props.taskApprovals}
          startsOpen={props.isNewestTask || props.isFocused}
          onNeeded={props.onTaskNeeded}
          onApproval={props.onApproval}
        />
      ) : null;
    case 'thinking':
      return <Thinking />;
    case 'notice':
      return <TurnNotice turn={item.turn} />;
    default:
      return assertNever(item);
  }
}

// Markdown is the costly part: a finished message is drawn once.
const AssistantText = memo(AssistantMessage);
