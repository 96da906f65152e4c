import type { CreateTurn, TurnAccepted } from '@loom/shared/api';
import { type Approval, approvalSchema, type DecideApproval } from '@loom/shared/approval';
import { type ApiClient, readAs } from '../api-client.ts';
import { CommandFailure } from '../command-failure.ts';
import { type Conversation, openConversation, type TurnEnd } from '../conversation.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { taskExitCode } from '../follow-task.ts';
import { createChatView } from '../render-chat.ts';
import { renderTaskResult } from '../render-task-result.ts';
import { numberOf, type StreamEvent } from '../stream-event.ts';
import type { Terminal } from '../terminal.ts';
import { deferred } from './deferred.ts';
import { loadSession } from './load-session.ts';
import { createOpenQuestions } from './open-questions.ts';
import { createTaskCounts } from './task-counts.ts';
import { createTaskWatch } from './task-watch.ts';
import { tellWhereItStands } from './tell-where-it-stands.ts';
import { createTurnBoard } from './turn-board.ts';

interface ChatSessionOptions {
  client: ApiClient;
  terminal: Terminal;
  session_id: string;
  is_new: boolean;
  /** How many of the last exchanges to show before it begins. */
  exchanges: number;
}

/** A session with someone in front of it: what goes on in it, and what was set going from here. */
export class ChatSession {
  readonly client: ApiClient;
  readonly terminal: Terminal;
  readonly id: string;
  readonly board = createTurnBoard();
  readonly questions = createOpenQuestions();
  readonly counts = createTaskCounts();
  /** The oldest message that was shown; null before any. */
  shown_from: number | null = null;
  /** How the last thing that went wrong went wrong. */
  code: ExitCode = exitCodes.ok;
  /** Rejects when the conversation cannot go on. */
  readonly broken: Promise<never>;

  readonly #fail: (error: unknown) => void;
  readonly #tasks;
  readonly #works = new Set<Promise<void>>();
  readonly #own = new Set<number>();
  #shownTo = 0;
  #saying = 0;
  #conversation: Conversation | null = null;
  #changed = deferred<void>();

  private constructor({ client, terminal, session_id }: ChatSessionOptions) {
    this.client = client;
    this.terminal = terminal;
    this.id = session_id;
    this.#tasks = createTaskWatch(client);
    const broken = deferred<never>();
    this.broken = broken.promise;
    this.#fail = broken.reject;
  }

  /** Listens first, then finds out what is going on, then tells it. */
  static async open(options: ChatSessionOptions): Promise<ChatSession> {
    const { client, terminal, session_id, is_new } = options;
    const session = new ChatSession(options);
    const view = createChatView(terminal, {
      questions: session.questions,
      counts: session.counts,
      isNews: (number) => !session.#own.has(number),
    });
    session.#conversation = await openConversation({
      client,
      session_id,
      after: is_new ? '0' : null,
      onEvent: (event) => session.#hear(event, view),
      onLost: () => terminal.note(terminal.colors.dim('connection lost, trying again')),
      onBroken: session.#fail,
      prepare: async () => {
        if (!is_new) await session.#join(options.exchanges);
      },
      onReset: async () => {
        await loadSession(client, session_id, session);
        await session.#tasks.lookAgain();
      },
    });
    return session;
  }

  /** Says something; resolves when it is stored. What comes of it is told as it happens. */
  async say(content: string, if_busy?: CreateTurn['if_busy']): Promise<void> {
    this.#saying += 1;
    const onAccepted = ({ turn_id, message_number }: TurnAccepted) => {
      this.board.accepted(turn_id);
      this.#own.add(message_number);
    };
    const said = this.#talk().say(content, { if_busy, onAccepted });
    const sent = await said.finally(() => {
      this.#saying -= 1;
    });
    this.#watch(sent.ended.then((end) => this.#noteEnd(end)));
  }

  /** Sets a goal going beside the turns; its end is told. */
  async run(goal: string): Promise<string> {
    const { id, ended } = await this.#tasks.start({ goal, session_id: this.id });
    this.#watch(
      ended.then((task) => {
        this.terminal.print(renderTaskResult(task));
        const code = taskExitCode(task);
        if (code !== exitCodes.ok) this.code = code;
      }),
    );
    return id;
  }

  /** Answers a question; it is off the table at once. */
  async decide(approvalId: string, answer: DecideApproval): Promise<Approval> {
    const path = `/api/approvals/${encodeURIComponent(approvalId)}`;
    const decided = readAs(approvalSchema, await this.client.request('POST', path, answer));
    this.questions.close(approvalId);
    return decided;
  }

  /** Whether a turn is at work, whoever set it going, or about to be. */
  isBusy(): boolean {
    return this.board.busy() !== null || this.#saying > 0;
  }

  /** Asks the turn at work to stop; false when none is. */
  stop(): Promise<boolean> {
    return this.#talk().cancel(this.board.busy() ?? undefined);
  }

  /** Resolves when all that was set going from here is over, or someone is asked something. */
  async ready(): Promise<void> {
    while (this.#works.size > 0 && this.questions.list().length === 0) await this.#changed.promise;
  }

  /** Resolves when all that was set going from here is over. */
  async settled(): Promise<void> {
    while (this.#works.size > 0) await this.#changed.promise;
  }

  /** Tells what went wrong, and goes on; throws what nobody can go on from. */
  complain(error: unknown): void {
    if (!(error instanceof CommandFailure)) throw error;
    const { terminal } = this;
    const problem = error.problem ?? { code: 'failed', detail: error.message };
    terminal.complain(terminal.json ? JSON.stringify(problem) : terminal.colors.red(error.message));
    this.code = error.exit_code;
  }

  async close(): Promise<void> {
    await this.#conversation?.close();
  }

  #talk(): Conversation {
    if (this.#conversation === null) throw new CommandFailure('The conversation is not open yet.');
    return this.#conversation;
  }

  async #join(exchanges: number): Promise<void> {
    const messages = await loadSession(this.client, this.id, this);
    this.#shownTo = messages.at(-1)?.number ?? 0;
    this.shown_from = tellWhereItStands(this.terminal, this, messages, exchanges);
  }

  #hear(event: StreamEvent, view: (event: StreamEvent) => void): void {
    this.board.hear(event);
    const number = event.type === 'message.appended' ? numberOf(event, 'number') : null;
    // What came while the archive was read is on the screen already.
    if (number === null || number > this.#shownTo) view(event);
    this.#tasks.hear(event);
    this.#notify();
  }

  #noteEnd(end: TurnEnd): void {
    if (end !== 'cancelled') return;
    this.terminal.note(this.terminal.colors.yellow('turn cancelled'));
    if (this.code !== exitCodes.interrupted) this.code = exitCodes.failed;
  }

  #watch(work: Promise<void>): void {
    const watched = work
      .catch((error: unknown) => {
        const isOver = !(error instanceof CommandFailure) || error.exit_code !== exitCodes.failed;
        if (isOver) this.#fail(error);
        else this.complain(error);
      })
      .finally(() => {
        this.#works.delete(watched);
        this.#notify();
      });
    this.#works.add(watched);
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = deferred();
  }
}
