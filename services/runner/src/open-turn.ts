import { commitTurn, type TurnChange } from '@loom/db/commit-turn';
import type { Database } from '@loom/db/database';
import { loadLearnedRules } from '@loom/db/learned/load-learned-rules';
import { loadOpenIntents } from '@loom/db/load-journal';
import { loadMessagesBetween, loadTurn, type TurnBrief } from '@loom/db/load-turn';
import { loadTurnApprovals, type TurnApproval } from '@loom/db/turn-approvals';
import { findExhaustion } from '@loom/engine/budget';
import { decideTurn } from '@loom/engine/decide-turn';
import { advanceSessionState } from '@loom/engine/session-state/advance-session-state';
import type { Runtime } from '@loom/runtime/create-runtime';
import { LostUnit } from '@loom/runtime/unit-yield';
import { AppError } from '@loom/shared/app-error';
import { type Exhaustion, nothingSpent, type Wants } from '@loom/shared/budget';
import type { ChatMessage } from '@loom/shared/chat';
import { faultPoint } from '@loom/shared/fault-point';
import type { SessionState } from '@loom/shared/session-state';
import { estimateTokens } from '@loom/shared/text';
import type { ToolRegistry } from '@loom/shared/tool';
import type { ClaimedUnit } from '@loom/shared/work';
import { unwrapRunTool } from './catalog/run-tool.ts';
import { type PendingCall, pendingCalls } from './pending-calls.ts';
import { covers } from './turn-budget.ts';
import { createTurnGate, type TurnGate } from './turn-gate.ts';

/** What was there when the turn was last looked up. */
interface TurnPast {
  brief: TurnBrief;
  approvals: TurnApproval[];
  openIntents: ReadonlySet<string>;
  rules: string[];
}

/** A turn in its owner's hands: what is known of it, and the one way to add to it. */
export class OpenTurn {
  gate: TurnGate;
  cancelled: boolean;
  private held: Wants | null;
  private metered: boolean;
  /** The last message of the session that the model has read. */
  private read: number;

  private constructor(
    private readonly runtime: Runtime,
    private readonly unit: ClaimedUnit,
    private readonly tools: ToolRegistry,
    private past: TurnPast,
  ) {
    const { cancel_requested, held, metered } = past.brief;
    this.cancelled = cancel_requested;
    this.held = held;
    this.metered = metered;
    this.read = lastReply(past.brief, unit) ?? past.brief.recent.at(-1)?.number ?? 0;
    this.gate = this.createGate();
  }

  /** Looks a claimed turn up, and closes what people were asked and did not answer in time. */
  static async load(runtime: Runtime, unit: ClaimedUnit, tools: ToolRegistry): Promise<OpenTurn> {
    const turn = new OpenTurn(runtime, unit, tools, await loadPast(runtime, unit, unit.epoch > 1));
    await turn.expireOverdue();
    return turn;
  }

  get brief(): TurnBrief {
    return this.past.brief;
  }

  /** What the conversation has come to, with everything said until now. */
  state(): SessionState {
    return this.advance().known;
  }

  private advance() {
    return advanceSessionState(this.brief.state, this.brief.recent);
  }

  get openIntents(): ReadonlySet<string> {
    return this.past.openIntents;
  }

  /** Calls of the model's last message that have no result yet. */
  pending(): PendingCall[] {
    const journal = this.own().map(({ number, message }) => ({ place: number, message }));
    return pendingCalls(this.unit.unit_id, journal).map(unwrapRunTool);
  }

  /** Everything that is known here goes into a model call. */
  markRead(): void {
    this.read = Math.max(this.read, ...this.brief.recent.map(({ number }) => number));
  }

  /** Model calls that this turn has made. */
  iterations(): number {
    return this.own().filter(({ message }) => message.role === 'assistant').length;
  }

  /** Asks every budget above the turn before it makes calls; null when none refuses. */
  async askFor(wanted: () => Wants): Promise<Exhaustion | null> {
    if (!this.metered) return null;
    const wants = wanted();
    if (covers(this.held, wants)) return null;
    const result = await this.write({ wants });
    return result.outcome === 'not_parked' ? null : result.refused;
  }

  /**
   * Adds to the turn. `not_parked`: what it was to wait for has come; `not_ended`: the user said
   * more to it. What others added is looked up, so the next model call shows it.
   */
  async commit(
    change: Partial<TurnChange>,
    also?: Parameters<typeof commitTurn>[3],
  ): Promise<'applied' | 'not_parked' | 'not_ended'> {
    const result = await this.write(change, also);
    if (result.outcome === 'not_parked' || result.news) await this.refresh();
    return result.outcome;
  }

  private async write(change: Partial<TurnChange>, also?: Parameters<typeof commitTurn>[3]) {
    const { tenant_id, session_id, turn_id, unit_id, epoch } = this.unit;
    const whole: TurnChange = {
      tenant_id,
      session_id: session_id ?? '',
      turn_id: turn_id ?? '',
      fence: { unit_id, epoch },
      known_message: this.read,
      messages: [],
      ledger: [],
      events: [],
      spent: nothingSpent,
      wants: null,
      expire: false,
      questions: null,
      input: null,
      awaiting_call_id: null,
      ...(change.input ? { state: this.advance().kept } : {}),
      ...change,
    };
    const rules = { decide: decideTurn, findExhaustion };
    const result = await commitTurn(this.runtime.db, whole, rules, also);
    if (result.outcome === 'refused') throw new LostUnit(unit_id);
    if (result.outcome === 'not_parked') return result;
    faultPoint('journal.after');
    this.cancelled ||= result.cancel_requested;
    this.held = result.held;
    this.metered = result.metered;
    // A model that answers is back: the next wait for one is a first again.
    if (whole.spent.model_calls > 0) this.brief.model_parks = 0;
    this.remember(whole.messages, result.numbers);
    // What others said in between is still to be read, and must not be passed over.
    if (!result.news) this.read = Math.max(this.read, ...result.numbers);
    this.runtime.announce({ rings: result.rings, streams: [whole.session_id], stopped: [] });
    return result;
  }

  /** The messages of this turn so far. */
  messages(): ChatMessage[] {
    return this.own().map(({ message }) => message);
  }

  /** What users corrected before, as rules. */
  get rules(): readonly string[] {
    return this.past.rules;
  }

  private own() {
    return this.brief.recent.filter(({ turn_id }) => turn_id === this.unit.turn_id);
  }

  private remember(messages: ChatMessage[], numbers: number[]): void {
    for (const [index, message] of messages.entries()) {
      this.brief.recent.push({
        number: numbers[index] ?? 0,
        turn_id: this.unit.turn_id,
        token_count: estimateTokens(message.content + JSON.stringify(message.tool_calls ?? [])),
        message,
      });
    }
  }

  /** Looks everything up again: what was said, delegated and answered meanwhile. */
  async refresh(): Promise<void> {
    this.past = await loadPast(this.runtime, this.unit, true);
    // What it waited for may have come because it is being cancelled.
    this.cancelled ||= this.past.brief.cancel_requested;
    this.gate = this.createGate();
    await this.expireOverdue();
  }

  private async expireOverdue(): Promise<void> {
    if (!this.past.approvals.some(({ overdue }) => overdue)) return;
    await this.commit({ expire: true });
    this.past.approvals = await loadTurnApprovals(this.runtime.db, this.unit.unit_id);
    this.gate = this.createGate();
  }

  private createGate(): TurnGate {
    const { on_timeout } = this.runtime.config.approval;
    return createTurnGate({ ...this.past, on_timeout, tools: this.tools });
  }
}

/** A first claim has no past of calls and questions to read. */
async function loadPast({ db }: Runtime, unit: ClaimedUnit, withCalls: boolean): Promise<TurnPast> {
  const [brief, approvals, openIntents] = await Promise.all([
    loadTurn(db, unit),
    withCalls ? loadTurnApprovals(db, unit.unit_id) : [],
    withCalls ? loadOpenIntents(db, unit.unit_id) : new Set<string>(),
  ]);
  if (brief === null) throw new AppError('internal', `no turn for ${unit.unit_id}`);
  const [state, rules] = await Promise.all([
    catchUp(db, unit, brief),
    loadLearnedRules(db, { ...unit, workspace: brief.workspace }),
  ]);
  return { brief: { ...brief, state }, approvals, openIntents, rules };
}

/** Takes in what lies between the kept state and the messages at hand: of a long session that had none. */
async function catchUp(db: Database, unit: ClaimedUnit, brief: TurnBrief): Promise<SessionState> {
  const before = brief.recent[0]?.number ?? 0;
  let { state } = brief;
  while (state.upto + 1 < before) {
    const page = await loadMessagesBetween(db, unit, { after: state.upto, before, limit: 1_000 });
    const { kept } = advanceSessionState(state, page);
    if (kept.upto === state.upto) break;
    state = kept;
  }
  return state;
}

/** The turn's last word of the model, if it has one: what came before it was read. */
function lastReply({ recent }: TurnBrief, { turn_id }: ClaimedUnit): number | null {
  const reply = recent.findLast(
    (one) => one.turn_id === turn_id && one.message.role === 'assistant',
  );
  return reply?.number ?? null;
}
