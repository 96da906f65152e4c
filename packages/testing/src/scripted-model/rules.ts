import type { Reply } from './replies.ts';
import type { ScriptedRequest, ScriptedRole } from './request.ts';

/** Which requests a rule or a gate is for: a role, a few traits that must all hold, or a predicate. */
export type Matcher =
  | 'any'
  | ScriptedRole
  | { role?: ScriptedRole; model?: string; prompt?: string | RegExp; lastUser?: string | RegExp }
  | ((request: ScriptedRequest) => boolean);

/** A reply, or a function that makes one; `match` is 1 for the rule's first request. */
export type ReplySource =
  | Reply
  | ((request: ScriptedRequest, match: number) => Reply | Promise<Reply>);

/** True when the request is one that the matcher means. */
export function matches(matcher: Matcher, request: ScriptedRequest): boolean {
  if (matcher === 'any') return true;
  if (typeof matcher === 'function') return matcher(request);
  if (typeof matcher === 'string') return request.role === matcher;
  return (
    (matcher.role === undefined || matcher.role === request.role) &&
    (matcher.model === undefined || matcher.model === request.model) &&
    contains(request.prompt, matcher.prompt) &&
    contains(request.lastUserText, matcher.lastUser)
  );
}

function contains(text: string, wanted: string | RegExp | undefined): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}

interface Rule {
  matcher: Matcher;
  source: ReplySource;
  used: number;
}

/** The script: `once` rules first, in order, then `on` rules in order, then the brain. */
export class Script {
  #once: Rule[] = [];
  #always: Rule[] = [];
  #brain: Rule | null = null;

  on(matcher: Matcher, source: ReplySource): void {
    this.#always.push({ matcher, source, used: 0 });
  }

  once(matcher: Matcher, source: ReplySource): void {
    this.#once.push({ matcher, source, used: 0 });
  }

  setBrain(source: ReplySource): void {
    this.#brain = { matcher: 'any', source, used: 0 };
  }

  clear(): void {
    this.#once = [];
    this.#always = [];
    this.#brain = null;
  }

  /** The reply for a request, or null when no rule is for it. */
  async reply(request: ScriptedRequest): Promise<Reply | null> {
    const rule = this.#take(request);
    if (rule === null) return null;
    rule.used += 1;
    return typeof rule.source === 'function' ? rule.source(request, rule.used) : rule.source;
  }

  #take(request: ScriptedRequest): Rule | null {
    const index = this.#once.findIndex((rule) => matches(rule.matcher, request));
    if (index >= 0) return this.#once.splice(index, 1)[0] ?? null;
    return this.#always.find((rule) => matches(rule.matcher, request)) ?? this.#brain;
  }
}
