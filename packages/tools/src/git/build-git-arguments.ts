import { AppError } from '@loom/shared/app-error';
import { type GitSubcommand, gitSubcommands } from './git-subcommands.ts';

/** A checked call of git. */
export interface GitCall {
  name: string;
  subcommand: GitSubcommand;
  /** All arguments, from the subcommand on. */
  args: string[];
}

type Arity = 'alone' | 'value' | 'perhaps';

const remoteCommands = new Set(
  'clone fetch pull push ls-remote remote-ext submodule archive'.split(' '),
);

function refuse(sentence: string): AppError {
  return new AppError('invalid_request', sentence);
}

function readOptions(options: string): Map<string, Arity> {
  return new Map(
    options.split(' ').map((word): [string, Arity] => {
      if (word.endsWith(':')) return [word.slice(0, -1), 'value'];
      return word.endsWith('=') ? [word.slice(0, -1), 'perhaps'] : [word, 'alone'];
    }),
  );
}

function shownOption(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

function findSubcommand(name: string): GitSubcommand {
  const found = gitSubcommands.get(name);
  if (found) return found;
  if (remoteCommands.has(name)) {
    throw refuse(`git ${name} is not possible here: there is no access to other repositories`);
  }
  const names = [...gitSubcommands.keys()].join(', ');
  throw refuse(`the first of args must be one of these: ${names}`);
}

/** Checks a path or a revision: neither an option nor a way out of the workspace. */
function checkOperand(operand: string): string {
  if (operand.startsWith('/') || operand.split('/').includes('..')) {
    throw refuse(
      `"${operand.slice(0, 100)}" may lead outside; use paths relative to the workspace`,
    );
  }
  return operand;
}

class ArgumentReader {
  readonly options: string[] = [];
  private readonly known: Map<string, Arity>;
  private readonly name: string;
  private readonly rest: string[];

  constructor(name: string, subcommand: GitSubcommand, rest: readonly string[]) {
    this.name = name;
    this.rest = [...rest];
    this.known = readOptions(subcommand.options);
  }

  next(): string | undefined {
    return this.rest.shift();
  }

  takeRest(): string[] {
    return this.rest.splice(0);
  }

  readLong(argument: string): void {
    const [, option = '', , value] = /^--([^=]*)(=(.*))?$/s.exec(argument) ?? [];
    const arity = option.length > 1 ? this.known.get(option) : undefined;
    if (arity === undefined) throw this.unknown(`--${option}`);
    if (arity === 'alone' && value !== undefined) {
      throw refuse(`--${option} of git ${this.name} takes no value`);
    }
    const needed = arity === 'value' ? (value ?? this.readValue(`--${option}`)) : value;
    this.options.push(needed === undefined ? argument : `--${option}=${needed}`);
  }

  /** One or more letters behind one dash; the last of them may have its value attached or after it. */
  readShort(argument: string): void {
    if (/^-\d+$/.test(argument) && this.known.get('n') === 'value') {
      this.options.push(argument);
      return;
    }
    const letters = argument.slice(1);
    if (letters === 'vv' && this.known.has('vv')) {
      this.options.push(argument);
      return;
    }
    for (let at = 0; at < letters.length; at += 1) {
      const letter = letters.charAt(at);
      const attached = letters.slice(at + 1);
      const arity = this.known.get(letter);
      if (arity === undefined) throw this.unknown(`-${letter}`);
      if (arity === 'alone') this.options.push(`-${letter}`);
      else {
        const value = attached || (arity === 'value' ? this.readValue(`-${letter}`) : '');
        this.options.push(`-${letter}${value}`);
        return;
      }
    }
  }

  private readValue(option: string): string {
    const value = this.rest.shift();
    if (value === undefined || value === '') {
      throw refuse(`${option} of git ${this.name} needs a value that is not empty`);
    }
    return value;
  }

  private unknown(option: string): AppError {
    const names = [...this.known.keys()].map(shownOption).join(' ');
    return refuse(
      `git ${this.name} cannot be given ${option.slice(0, 100)} here; its options are ${names}`,
    );
  }
}

/** The arguments for git, made anew from what a model gave: only listed options, and nothing else that could be read as one. */
export function buildGitArguments(given: readonly string[]): GitCall {
  const [name = '', ...rest] = given[0] === 'git' ? given.slice(1) : given;
  const subcommand = findSubcommand(name);
  const reader = new ArgumentReader(name, subcommand, rest);
  const operands: string[] = [];
  let paths: string[] | null = null;
  for (let next = reader.next(); next !== undefined; next = reader.next()) {
    if (next === '--') paths = reader.takeRest().map(checkOperand);
    else if (next.startsWith('--')) reader.readLong(next);
    else if (next.startsWith('-') && next !== '-') reader.readShort(next);
    else operands.push(checkOperand(next));
  }
  if (operands.length + (paths?.length ?? 0) > (subcommand.max_operands ?? Infinity)) {
    throw refuse(`git ${name} can have at most ${subcommand.max_operands} operands here`);
  }
  const fixed = subcommand.fixed ?? [];
  const isPaths = subcommand.only_paths && operands.length > 0;
  const end = isPaths
    ? ['--', ...operands, ...(paths ?? [])]
    : [...operands, ...(paths === null ? [] : ['--', ...paths])];
  // An action, as in `stash push`, comes before its options.
  const [action, ...others] = end;
  const args =
    name === 'stash' || name === 'reflog'
      ? [name, ...(action === undefined ? [] : [action]), ...reader.options, ...others]
      : [name, ...fixed, ...reader.options, ...end];
  return { name, subcommand, args };
}
