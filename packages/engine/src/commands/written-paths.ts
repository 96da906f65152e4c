import { gitCommand } from './gated-git.ts';
import { hasFlag, readOptions, valuesOf } from './read-options.ts';

type Targets = (args: readonly string[]) => string[];

const everyOperand: Targets = (args) => readOptions(args).operands;

/** Copying leaves its sources alone, moving does not. */
function copied(values: string, takesSources: boolean): Targets {
  return (args) => {
    const options = readOptions(args, { values, long_values: ['target-directory', 'suffix'] });
    const { operands } = options;
    const [into] = valuesOf(options, '-t', '--target-directory');
    const target = into ?? operands.at(-1) ?? '';
    const sources = into === undefined ? operands.slice(0, -1) : operands;
    const isFolder = into !== undefined || sources.length > 1 || /(^|\/)\.{0,2}$/.test(target);
    const inFolder = isFolder ? sources.map((source) => `${target}/${lastName(source)}`) : [];
    return [target, ...inFolder, ...(takesSources ? sources : [])];
  };
}

function lastName(path: string): string {
  return path.replace(/\/+$/, '').split('/').at(-1) ?? '';
}

/** The file that an option names. */
function named(values: string, long: string, ...flags: string[]): Targets {
  return (args) =>
    valuesOf(readOptions(args, { values, long_values: [long] }), `--${long}`, ...flags);
}

const sed: Targets = (args) => {
  const options = readOptions(args, {
    values: 'efl',
    long_values: ['expression', 'file', 'line-length'],
  });
  if (!hasFlag(options, '-i', '-I', '--in-place')) return [];
  const hasScript = hasFlag(options, '-e', '-f', '--expression', '--file');
  return options.operands.slice(hasScript ? 0 : 1);
};

const perl: Targets = (args) => {
  const options = readOptions(args, { values: 'eEIMm' });
  return hasFlag(options, '-i') ? options.operands : [];
};

const keygen: Targets = (args) => {
  const options = readOptions(args, { values: 'fCNtbmPaIOEDDjJkKMnQRrSsVwWYzFL' });
  return hasFlag(options, '-l', '-y', '-F', '-e', '-B') ? [] : valuesOf(options, '-f', '-R');
};

const git: Targets = (args) => {
  const { command, args: rest } = gitCommand(args);
  if (!/^(mv|rm|restore|checkout)$/.test(command)) return [];
  const options = readOptions(rest, { values: 'bBs', long_values: ['source'] });
  return hasFlag(options, '--cached', '-n', '--dry-run') ? [] : options.operands;
};

const tar: Targets = (args) => {
  const options = readOptions(args, { values: 'Cf', long_values: ['directory', 'file'] });
  const extracts = hasFlag(options, '-x', '--extract', '--get') || /^[a-z]*x/.test(args[0] ?? '');
  return extracts ? valuesOf(options, '-C', '--directory') : [];
};

const targetsByProgram: ReadonlyMap<string, Targets> = new Map(
  Object.entries({
    tee: everyOperand,
    touch: everyOperand,
    rm: everyOperand,
    unlink: everyOperand,
    shred: everyOperand,
    rimraf: everyOperand,
    rmdir: everyOperand,
    mkdir: everyOperand,
    sponge: everyOperand,
    ed: everyOperand,
    ex: everyOperand,
    truncate: (args) => readOptions(args, { values: 'sr', long_values: ['size'] }).operands,
    cp: copied('tS', false),
    ln: copied('tS', false),
    install: copied('tSmog', false),
    rsync: copied('ef', false),
    scp: copied('cFiJloPS', false),
    mv: copied('tS', true),
    sed,
    perl,
    git,
    dd: (args) => args.filter((arg) => arg.startsWith('of=')).map((arg) => arg.slice(3)),
    curl: named('oHdXuAeFTbcKmwxz', 'output', '-o', '-c'),
    wget: named('OPoUieat', 'output-document', '-O', '-P', '-o', '-a'),
    sort: named('oktST', 'output', '-o'),
    gpg: named('oru', 'output', '-o'),
    age: named('oriR', 'output', '-o'),
    openssl: (args) => args.filter((_, index) => args[index - 1] === '-out'),
    find: (args) =>
      args.filter((_, index) => /^-f(print0?|printf|ls)$/.test(args[index - 1] ?? '')),
    tar,
    unzip: named('dx', 'directory', '-d'),
    'ssh-keygen': keygen,
  }),
);

/** The paths that a program changes or removes when it is given these arguments. */
export function writtenPaths(program: string, args: readonly string[]): string[] {
  return targetsByProgram.get(program)?.(args) ?? [];
}
