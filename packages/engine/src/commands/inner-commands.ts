import { fileMark, hasHole, holeMark, withoutHoles } from './expand-words.ts';
import type { Stdin } from './foresee.ts';
import { gitCommand } from './gated-git.ts';
import { isSqlClient, shellEscapes, sqlTexts } from './gated-sql.ts';
import { programName } from './program-name.ts';
import { hasFlag, readOptions, valuesOf } from './read-options.ts';

/** A command that another one runs. */
export type InnerCommand =
  | { kind: 'call'; argv: string[]; over_tree: boolean }
  | { kind: 'script'; text: string; positional: readonly string[] }
  /** What it runs is made while it runs. */
  | { kind: 'opaque' }
  /** Where the inner command begins is not known for certain. */
  | { kind: 'guess'; inner: InnerCommand };

/** By name; a program may be called like a property that every object has. */
function table<T>(entries: Record<string, T>): ReadonlyMap<string, T> {
  return new Map(Object.entries(entries));
}

interface Wrapper {
  /** Options that take a value, and operands before the command. */
  values?: string;
  long_values?: readonly string[];
  skips?: number;
}

const wrappers = table<Wrapper>({
  builtin: {},
  busybox: {},
  command: {},
  exec: { values: 'a' },
  ionice: { values: 'cnp', long_values: ['class', 'classdata'] },
  nice: { values: 'n', long_values: ['adjustment'] },
  nohup: {},
  setsid: {},
  stdbuf: { values: 'ioe', long_values: ['input', 'output', 'error'] },
  time: { values: 'fo', long_values: ['format', 'output'] },
  timeout: { values: 'ks', long_values: ['signal', 'kill-after'], skips: 1 },
  toybox: {},
});

const shells = new Set('sh bash dash zsh ksh mksh ash fish rbash yash csh tcsh'.split(' '));

/**
 * Programs that run a command of which only the rough place is known: behind one of these
 * words, or anywhere. `scripts`: every argument, or the values of these options, may be scripts.
 */
const carriers = table<{ after?: readonly string[]; scripts?: 'all' | readonly string[] }>({
  bun: { after: ['x', 'run'] },
  bundle: { after: ['exec'] },
  bunx: {},
  chroot: {},
  chrt: {},
  docker: { after: ['exec', 'run'] },
  'docker-compose': { after: ['exec', 'run'] },
  entr: { scripts: ['-s'] },
  fakeroot: {},
  flock: { scripts: ['-c', '--command'] },
  kubectl: { after: ['exec', 'run', '--'] },
  'nix-shell': { scripts: ['--run', '--command'] },
  npm: { after: ['exec', 'x'], scripts: ['-c', '--call'] },
  npx: { scripts: ['-c', '--call'] },
  nsenter: {},
  parallel: { scripts: 'all' },
  pipenv: { after: ['run'] },
  pnpm: { after: ['exec', 'dlx'] },
  podman: { after: ['exec', 'run'] },
  poetry: { after: ['run'] },
  script: { scripts: ['-c', '--command'] },
  ssh: { scripts: 'all' },
  strace: {},
  'systemd-run': {},
  taskset: {},
  unshare: {},
  uv: { after: ['run'] },
  watch: { scripts: 'all' },
  'xvfb-run': {},
  yarn: { after: ['exec', 'dlx'] },
});

// Beyond this the places to look at are too many.
const maxCarried = 200;

/** What a call makes other programs, shells and search tools run. */
export function innerCommands(
  program: string,
  args: readonly string[],
  stdin: Stdin | null,
): InnerCommand[] {
  const wrapper = wrappers.get(program);
  if (wrapper !== undefined) return wrapped(program, args, wrapper);
  if (shells.has(program)) return inShell(args, stdin);
  if (isSqlClient(program)) {
    const texts = sqlTexts(args, stdin === null ? [] : [stdin.likely]);
    return texts.flatMap(shellEscapes).map((text) => script(text));
  }
  switch (program) {
    case 'env':
      return inEnvironment(args);
    case 'eval':
      return [script(args.join(' '))];
    case 'source':
    case '.':
      return sourced(args[0] ?? '', stdin);
    case 'trap':
      return readOptions(args, { in_order: true })
        .operands.slice(0, 1)
        .map((text) => script(text));
    case 'alias':
      return args.filter((arg) => arg.includes('=')).map((arg) => script(afterEquals(arg)));
    case 'xargs':
      return fromInput(args, stdin);
    case 'find':
    case 'fd':
    case 'fdfind':
      return forFound(args);
    case 'git':
      return inGit(args);
    default:
      return carried(program, args);
  }
}

function script(text: string, positional: readonly string[] = []): InnerCommand {
  return hasHole(text) ? { kind: 'opaque' } : { kind: 'script', text, positional };
}

function call(argv: readonly string[], over_tree = false): InnerCommand[] {
  return argv.length === 0 ? [] : [{ kind: 'call', argv: [...argv], over_tree }];
}

function afterEquals(text: string): string {
  return text.slice(text.indexOf('=') + 1);
}

function wrapped(program: string, args: readonly string[], wrapper: Wrapper): InnerCommand[] {
  const options = readOptions(args, { ...wrapper, in_order: true });
  // Only asks where a command is.
  if (program === 'command' && hasFlag(options, '-v', '-V')) return [];
  return call(options.operands.slice(wrapper.skips ?? 0));
}

function inEnvironment(args: readonly string[]): InnerCommand[] {
  const options = readOptions(args, {
    values: 'uCS',
    long_values: ['unset', 'chdir', 'split-string'],
    in_order: true,
  });
  const isVariable = (operand: string) => operand.includes('=') || operand === '-';
  const first = options.operands.findIndex((operand) => !isVariable(operand));
  const split = valuesOf(options, '-S', '--split-string');
  if (split.length > 0) return [script([...split, ...options.operands].join(' '))];
  return first === -1 ? [] : call(options.operands.slice(first));
}

function inShell(args: readonly string[], stdin: Stdin | null): InnerCommand[] {
  let takesScript = false;
  let readsInput = false;
  let at = 0;
  for (; at < args.length; at += 1) {
    const option = withoutHoles(args[at] ?? '');
    if (!/^[-+]/.test(option)) break;
    if (option === '-' || option === '--') {
      at += 1;
      break;
    }
    if (option.startsWith('--command=')) return [script(afterEquals(args[at] ?? ''))];
    if (/^--(rcfile|init-file)$/.test(option)) at += 1;
    takesScript ||= /^-[A-Za-z]*c/.test(option) || option === '--command';
    readsInput ||= /^-[A-Za-z]*s/.test(option);
    // `-o pipefail` and `-O extglob` take the next argument each, also within `-euo`.
    if (!option.startsWith('--')) at += option.replace(/[^oO]/g, '').length;
  }
  const [operand, ...positional] = args.slice(at);
  if (takesScript) return operand === undefined ? [] : [script(operand, positional)];
  return sourced(readsInput ? '-' : (operand ?? '-'), stdin);
}

/** A file is run as it is; what is written to the shell while it runs must be known. */
function sourced(file: string, stdin: Stdin | null): InnerCommand[] {
  if (file.includes(fileMark)) return [{ kind: 'opaque' }];
  const readsInput = file === '-' || /^\/(dev\/(stdin|fd\/0)|proc\/self\/fd\/0)$/.test(file);
  return readsInput && stdin !== null ? [script(stdin.text)] : [];
}

function fromInput(args: readonly string[], stdin: Stdin | null): InnerCommand[] {
  const options = readOptions(args, {
    values: 'IJnLPsEdaR',
    long_values: ['max-args', 'max-lines', 'max-procs', 'max-chars', 'delimiter', 'arg-file'],
    in_order: true,
  });
  const over_tree = stdin?.from_search === true;
  const isKnown = stdin !== null && !hasHole(stdin.likely);
  const given = isKnown ? stdin.likely.split(/\s+/).filter((word) => word !== '') : [holeMark];
  const [replaced] = valuesOf(options, '-I', '-J', '--replace');
  const mark = replaced ?? (hasFlag(options, '-i', '--replace') ? '{}' : null);
  if (mark === null) return call([...options.operands, ...given], over_tree);
  const fill = (text: string) => (argument: string) => argument.replaceAll(mark, text);
  return [given.join(' '), ...given].flatMap((text) =>
    call(options.operands.map(fill(text)), over_tree),
  );
}

const runners = /^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/;

function forFound(args: readonly string[]): InnerCommand[] {
  const inner: InnerCommand[] = [];
  for (const [index, arg] of args.entries()) {
    if (!runners.test(arg)) continue;
    const rest = args.slice(index + 1);
    const end = rest.findIndex((word) => word === ';' || word === '+');
    const argv = end === -1 ? rest : rest.slice(0, end);
    inner.push(...call(argv, true));
  }
  return inner;
}

function inGit(args: readonly string[]): InnerCommand[] {
  const { command, args: rest, settings } = gitCommand(args);
  const aliases = settings.filter((setting) => /^alias\./i.test(setting)).map(afterEquals);
  if (command === 'config') {
    const at = rest.findIndex((arg) => /^alias\./i.test(arg));
    if (at !== -1) aliases.push(...rest.slice(at + 1, at + 2));
  }
  const inner = aliases.flatMap((alias) =>
    alias.startsWith('!')
      ? [script(alias.slice(1))]
      : call(['git', ...alias.split(/\s+/), ...rest]),
  );
  if (command === 'bisect' && rest[0] === 'run') return [...inner, ...call(rest.slice(1))];
  if (command === 'submodule' && rest[0] === 'foreach') {
    const { operands } = readOptions(rest.slice(1), { in_order: true });
    return [...inner, script(operands.join(' '))];
  }
  if (command === 'rebase') {
    const options = readOptions(rest, { values: 'xs', long_values: ['exec'] });
    return [...inner, ...valuesOf(options, '-x', '--exec').map((text) => script(text))];
  }
  return inner;
}

function carried(program: string, args: readonly string[]): InnerCommand[] {
  const carrier = carriers.get(program);
  if (carrier === undefined) return [];
  const start = args.findIndex((arg) => carrier.after?.includes(arg));
  if (carrier.after !== undefined && start === -1) return [];
  const rest = args.slice(start + 1);
  if (rest.length > maxCarried) return [{ kind: 'opaque' }];
  const calls = rest
    .map((arg, index) => ({ name: programName(arg), argv: rest.slice(index) }))
    .filter(({ name }) => name !== null && !carriers.has(name))
    .flatMap(({ argv }) => call(argv));
  const scripts = rest
    .filter(
      (_, index) => carrier.scripts === 'all' || carrier.scripts?.includes(rest[index - 1] ?? ''),
    )
    .map((text) => script(text));
  return [...calls, ...scripts].map((inner) => ({ kind: 'guess', inner }));
}
