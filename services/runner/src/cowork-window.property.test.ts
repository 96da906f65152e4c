import type { OpenDelegation, TurnBrief } from '@loom/db/load-turn';
import {
  anyHistorySeed,
  archivedTokens,
  expandHistory,
} from '@loom/engine/test-support/random-history';
import { AppError } from '@loom/shared/app-error';
import type { ChatMessage, ToolSpec } from '@loom/shared/chat';
import { emptySessionState, type SessionState } from '@loom/shared/session-state';
import { estimateTokens } from '@loom/shared/text';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coworkWindow } from './cowork-window.ts';

/** As long as the state may hold it. */
const anyLine = (most: number) => fc.nat(most).map((length) => 'never do '.padEnd(length, 'w'));
const anyNoted = (most: number, maxLength: number) =>
  fc.array(fc.record({ text: anyLine(most), number: fc.nat(10_000) }), { maxLength, size: 'max' });

const anyState: fc.Arbitrary<SessionState> = fc
  .record({
    focus: anyLine(100),
    constraints: anyNoted(300, 20),
    decisions: anyNoted(400, 10),
    files: fc.array(
      fc.record({ path: anyLine(200), action: fc.constant('read'), number: fc.nat() }),
      { maxLength: 20 },
    ),
  })
  .map((state) => ({ ...emptySessionState, ...state }));

const anyDelegations: fc.Arbitrary<OpenDelegation[]> = fc.array(
  fc.record({
    task_id: fc.nat().map((n) => `task_${n}`),
    goal: anyLine(300),
    status: fc.constant('running'),
    done: fc.nat(9),
    subtasks: fc.nat(30),
  }),
  { maxLength: 20, size: 'max' },
);

const anyTools: fc.Arbitrary<ToolSpec[]> = fc.array(
  fc.record({
    name: fc.nat().map((n) => `tool_${n}`),
    description: anyLine(600),
    input_schema: fc.constant({ type: 'object', properties: { path: { type: 'string' } } }),
  }),
  { maxLength: 30, size: 'max' },
);

const anyModel = fc.record({
  context_tokens: fc.oneof(
    fc.integer({ min: 1_000, max: 16_000 }),
    fc.integer({ min: 16_000, max: 200_000 }),
  ),
  max_output_tokens: fc.integer({ min: 256, max: 32_000 }),
});

const anyParams = fc
  .record({
    seed: anyHistorySeed,
    /** The archive is longer than what was loaded of it. */
    older: fc.oneof(fc.constant(0), fc.nat(100_000)),
    state: anyState,
    delegations: anyDelegations,
    tools: anyTools,
    model: anyModel,
    system_prompt: fc.option(anyLine(8_000)),
    rules: fc.array(anyLine(200), { maxLength: 15 }),
    calibration: fc.double({ min: 0.3, max: 2, noNaN: true }),
    more: fc.array(fc.option(anyLine(2_000)), { maxLength: 1 }),
  })
  .map(({ seed, older, delegations, system_prompt, ...rest }) => {
    const history = expandHistory(seed).map((one) => ({ ...one, number: one.number + older }));
    const turn_id = history.findLast((one) => one.turn_id !== null)?.turn_id ?? 'turn_1';
    const asked: ChatMessage = { role: 'user', content: 'As I said earlier, go on.' };
    history.push({
      number: older + history.length + 1,
      turn_id,
      token_count: archivedTokens(asked),
      message: asked,
    });
    const brief = { workspace: null, system_prompt, recent: history, delegations } as unknown;
    return { ...rest, turn_id, brief: brief as TurnBrief };
  });

type Params = Parameters<typeof coworkWindow>[0];

// Shrinking a case as large as these takes minutes; its seed plays it again.
const check = (property: (params: Params) => void) =>
  fc.assert(fc.property(anyParams, property), { numRuns: 60, endOnFailure: true });

const toolTokens = ({ tools }: Params) => estimateTokens(JSON.stringify(tools));
const roomOf = (messages: readonly ChatMessage[]) =>
  messages.reduce((sum, message) => sum + archivedTokens(message) + 8, 0);

/** What the model can read besides its answer, and all it can read. */
function limitsOf({ model, calibration }: Params) {
  const { context_tokens, max_output_tokens } = model;
  const answer = Math.min(max_output_tokens, context_tokens / 2);
  return {
    budget: ((context_tokens - answer) * 0.95) / Math.max(0.5, calibration),
    context: context_tokens / Math.min(1, Math.max(0.5, calibration)),
  };
}

/** What every window has: prompt, tools, and the notes that cannot be looked up. */
function pinnedTokens(params: Params): number {
  const { state, brief, more } = params;
  const lines = [
    ...state.constraints.map(({ text }) => text.length + 30),
    ...brief.delegations.map(({ goal }) => Math.min(150, goal.length) + 80),
    ...more.map((section) => (section?.length ?? 0) + 2),
  ];
  const notes = Math.ceil(lines.reduce((sum, length) => sum + length, 300) / 4);
  const prompt = 2_000 + (brief.system_prompt?.length ?? 0) + params.rules.join('').length + 400;
  return Math.ceil(prompt / 4) + notes + toolTokens(params) + 20;
}

test('the whole stays within the model’s budget; with what is pinned too long for it, within its context', () => {
  check((params) => {
    const window = coworkWindow(params);
    const { budget, context } = limitsOf(params);
    if (window instanceof AppError) {
      expect(window).toMatchObject({ code: 'context_too_long', retryable: false });
      // Only where prompt, tools and notes leave no room for even a short conversation.
      expect(pinnedTokens(params) + 500).toBeGreaterThan(context);
      return;
    }
    const room = roomOf(window.messages) + toolTokens(params);
    expect(room).toBeLessThanOrEqual(window.tokens);
    expect(window.tokens).toBeLessThanOrEqual(context);
    if (pinnedTokens(params) + 500 <= budget) expect(window.tokens).toBeLessThanOrEqual(budget);
  });
});

test('prompt first, then what was before, then the notes, then the turn', () => {
  check((params) => {
    const window = coworkWindow(params);
    if (window instanceof AppError) return;
    const [prompt, ...rest] = window.messages;
    expect(prompt?.role).toBe('system');
    expect(prompt?.content).toContain(params.brief.system_prompt ?? 'You are Loom');
    for (const rule of params.rules) expect(prompt?.content).toContain(`- ${rule.trim()}`);
    const systems = rest.flatMap(({ role }, index) => (role === 'system' ? [index] : []));
    expect(systems.length).toBeLessThanOrEqual(1);
    const own = params.brief.recent.filter(({ turn_id }) => turn_id === params.turn_id);
    const turn = new Set(own.map(({ message }) => message));
    const first = rest.findIndex((message) => turn.has(message));
    const [notes = first] = systems;
    if (first !== -1) expect(first).toBeGreaterThanOrEqual(notes);
    // The last word is the user's.
    expect(rest.at(-1)).toBe(params.brief.recent.at(-1)?.message);
  });
});

test('every constraint, every open delegation and the turn’s todos are in it, whatever else is not', () => {
  check((params) => {
    const window = coworkWindow(params);
    if (window instanceof AppError) return;
    const notes = window.messages.slice(1).find(({ role }) => role === 'system')?.content ?? '';
    for (const { text, number } of params.state.constraints) {
      expect(notes).toContain(`- ${text} (message ${number})`);
    }
    for (const { task_id, goal } of params.brief.delegations) {
      expect(notes).toContain(`- ${task_id} (running`);
      expect(notes).toContain(goal.trim().slice(0, 149));
    }
    for (const section of params.more) expect(notes).toContain(section ?? '');
  });
});

test('what is left out is counted, as long as there is room to say so', () => {
  check((params) => {
    const window = coworkWindow(params);
    if (window instanceof AppError) return;
    const notes = window.messages.slice(1).find(({ role }) => role === 'system')?.content ?? '';
    const told = /^(\d+) earlier messages are not shown/m.exec(notes)?.[1];
    const older = (params.brief.recent[0]?.number ?? 1) - 1;
    if (told !== undefined) expect(Number(told)).toBeGreaterThanOrEqual(older);
    const roomy = limitsOf(params).budget - pinnedTokens(params) > 2_500;
    if (older > 0 && roomy) expect(told).toBeDefined();
  });
});
