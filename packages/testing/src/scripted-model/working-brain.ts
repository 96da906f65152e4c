import { assertNever } from '@loom/shared/assert-never';
import { firstLine } from '@loom/shared/text';
import type { VerifierAnswer } from '@loom/shared/verdict';
import { parallelPlan, type SubtaskInput } from '../builders.ts';
import { type Reply, type ScriptedCall, text, toolCalls } from './replies.ts';
import { promptList, promptSection, type ScriptedRequest } from './request.ts';

export interface WorkingBrainOptions {
  /** What the planner answers: so many independent subtasks, or these, or these for a goal. */
  subtasks?: number | SubtaskInput[] | ((goal: string) => SubtaskInput[]);
  /** Calls that an executor makes after writing its deliverables. */
  executorCalls?: (request: ScriptedRequest) => ScriptedCall[];
  /** What goes into a deliverable. */
  fileContent?: (path: string, request: ScriptedRequest) => string;
  /** Time that every reply takes. */
  delayMs?: number;
}

/** A model that does every role's work well: plans, writes what it must, passes, chats, delegates. */
export function workingBrain(options: WorkingBrainOptions = {}) {
  const pace = options.delayMs === undefined ? {} : { delayMs: options.delayMs };
  const writePlan = planWriter(options.subtasks ?? 2);

  function think(request: ScriptedRequest): Reply {
    switch (request.role) {
      case 'planner':
        return text(writePlan(promptSection(request.prompt, 'GOAL') ?? ''));
      case 'executor':
        return execute(request, options);
      case 'verifier':
        return text(JSON.stringify(passingVerdict));
      case 'cowork':
        return converse(request);
      case 'extractor':
        return text('{"entries": []}');
      default:
        return assertNever(request.role);
    }
  }
  return (request: ScriptedRequest): Reply => ({ ...think(request), ...pace });
}

// A plan that does not depend on the goal is built once: benchmarks ask for it all the time.
function planWriter(
  wanted: NonNullable<WorkingBrainOptions['subtasks']>,
): (goal: string) => string {
  const write = (subtasks: SubtaskInput[]) => JSON.stringify({ subtasks });
  if (typeof wanted === 'function') return (goal) => write(wanted(goal));
  const plan = write(typeof wanted === 'number' ? parallelPlan(wanted).subtasks : wanted);
  return () => plan;
}

function execute(request: ScriptedRequest, options: WorkingBrainOptions): Reply {
  const subtask = firstLine(promptSection(request.prompt, 'SUBTASK') ?? '', 200);
  const content = options.fileContent ?? defaultContent;
  const calls: ScriptedCall[] = [
    ...promptList(request.prompt, 'DELIVERABLES').map((path) => ({
      name: 'write_file',
      arguments: { path, content: content(path, request) },
    })),
    ...(options.executorCalls?.(request) ?? []),
  ];
  // Each attempt starts a fresh conversation, so any tool result in it answers these calls.
  const isWorkDone = request.messages.some((message) => message.role === 'tool');
  return isWorkDone || calls.length === 0 ? text(`Done: ${subtask}`) : toolCalls(calls);
}

function defaultContent(path: string): string {
  if (path.endsWith('.json')) return '{"written": true}\n';
  if (path.endsWith('.csv')) return 'name,value\nfirst,1\nsecond,2\n';
  if (/\.ya?ml$/.test(path)) return 'written: true\n';
  return `This is ${path}.\n`;
}

const passingVerdict: VerifierAnswer = {
  outcome: 'pass',
  confidence: 0.9,
  reason_code: 'requirement_met',
  severity_class: 'semantic',
  feedback: 'The requirement is met.',
  evidence: [],
  missing_targets: [],
};

function converse(request: ScriptedRequest): Reply {
  const asked = request.messages.findLastIndex((message) => message.role === 'user');
  const results = request.messages.slice(asked + 1).filter((message) => message.role === 'tool');
  if (results.length > 0) {
    return text(`Here is what came back:\n${results.map((result) => result.content).join('\n')}`);
  }
  const goal = /^delegate:(.*)$/s.exec(request.lastUserText)?.[1]?.trim();
  if (goal === undefined) return text(`You said: ${request.lastUserText}`);
  return toolCalls([{ name: 'delegate_task', arguments: { goal } }], {
    text: 'I will delegate it.',
  });
}
