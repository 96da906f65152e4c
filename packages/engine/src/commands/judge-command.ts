import { fieldsOf, hasHole, holeMark, textOf, type Values } from './expand-words.ts';
import {
  fillCertain,
  likelyFields,
  likelyTexts,
  type Stdin,
  stdinAfter,
  stdinOf,
  withAssigned,
} from './foresee.ts';
import { gateProgram, gateRedirect } from './gated-program.ts';
import { type InnerCommand, innerCommands } from './inner-commands.ts';
import { parseShell } from './parse-shell.ts';
import { programName, shownCommand, shownText } from './program-name.ts';
import { isProtectedPath } from './protected-path.ts';
import {
  type Pipeline,
  type Redirect,
  type ShellNode,
  type ShellScript,
  ShellSyntaxError,
  type ShellWord,
} from './shell-syntax.ts';

// Far above what a person writes; beyond them a command is asked about, not waved through.
const maxDepth = 30;
const maxCalls = 4_000;

/** Why a command needs a person. `is_certain`: it does something gated, not just might. */
interface Concern {
  is_certain: boolean;
  reason: string;
}

/** What surrounds a command that is judged. */
interface Scene {
  values: Values;
  stdin: Stdin | null;
  over_tree: boolean;
  in_protected: boolean;
  depth: number;
  budget: { calls: number };
}

const tooMuch = 'It runs too many commands to look at them all';

const unknownInput: Stdin = { text: holeMark, likely: holeMark, from_search: false };

/** Why a shell command must be seen by a person before it runs, as a sentence; null if it need not. */
export function judgeCommand(source: string): string | null {
  return concerning((scene) => judgeScript(source, scene));
}

/** The same for a program that is run without a shell. */
export function judgeArguments(argv: readonly string[]): string | null {
  return concerning((scene) => judgeCall(argv, scene));
}

function concerning(judge: (scene: Scene) => Concern | null): string | null {
  const budget = { calls: maxCalls };
  const scene: Scene = {
    values: new Map(),
    stdin: null,
    over_tree: false,
    in_protected: false,
    depth: 0,
    budget,
  };
  const concern = judge(scene);
  if (concern === null && budget.calls <= 0) return tooMuch;
  return concern?.reason ?? null;
}

function judgeScript(source: string, outer: Scene): Concern | null {
  let script: ShellScript;
  try {
    script = parseShell(source);
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    return doubt(`It cannot be read as a command, because ${error.message}`, shownText(source));
  }
  const values = withAssigned(outer.values, script.assigned);
  const in_protected = outer.in_protected || script.calls.some((words) => goesIn(words, values));
  const scene = { ...outer, values, in_protected };
  return (
    judgePipelines(script.pipelines, scene) ??
    firstConcern(script.substitutions, ({ body, is_written_to }) =>
      judgePipelines(body, is_written_to ? { ...scene, stdin: unknownInput } : scene),
    )
  );
}

function goesIn(words: readonly ShellWord[], values: Values): boolean {
  const [program, target] = fieldsOf(words, fillCertain(values));
  return (program === 'cd' || program === 'pushd') && isProtectedPath(target ?? '');
}

function judgePipelines(pipelines: readonly Pipeline[], scene: Scene): Concern | null {
  return firstConcern(pipelines, (pipeline) => {
    let { stdin } = scene;
    return firstConcern(pipeline, (node) => {
      const concern = judgeNode(node, { ...scene, stdin });
      stdin = stdinAfter(node, stdin, scene.values);
      return concern;
    });
  });
}

function judgeNode(node: ShellNode, outer: Scene): Concern | null {
  const concern = firstConcern(node.redirects, (redirect) => judgeRedirect(redirect, outer));
  if (concern !== null) return concern;
  const scene = { ...outer, stdin: stdinOf(node, outer.stdin, outer.values) };
  if (node.kind === 'group') {
    const over_tree = scene.over_tree || scene.stdin?.from_search === true;
    return judgePipelines(node.body, { ...scene, over_tree });
  }
  const certain = fieldsOf(node.words, fillCertain(scene.values));
  return firstConcern([certain, ...likelyFields(node.words, scene.values)], (argv) =>
    judgeCall(argv, scene),
  );
}

function judgeRedirect({ operator, word }: Redirect, scene: Scene): Concern | null {
  if (!operator.includes('>')) return null;
  const certain = textOf(word, fillCertain(scene.values));
  return firstConcern([certain, ...likelyTexts(word, scene.values)], (path) => {
    // `2>&1` and `>&-` write to no file.
    const isFile = operator !== '>&' || !/^(\d*-?)$/.test(path);
    const reason = isFile ? gateRedirect(path, scene.in_protected) : null;
    return reason === null ? null : certainly(reason, `${operator} ${shownText(path)}`);
  });
}

function judgeCall(argv: readonly string[], scene: Scene): Concern | null {
  const [first, ...args] = argv;
  if (first === undefined) return null;
  scene.budget.calls -= 1;
  const shown = () => shownCommand(argv);
  const program = programName(first);
  if (scene.budget.calls <= 0 || scene.depth > maxDepth) return doubt(tooMuch, shown());
  if (program === null) {
    return doubt('What it runs is only known once it runs', shown());
  }
  const { stdin, over_tree, in_protected } = scene;
  const reason = gateProgram({ program, args, stdin, over_tree, in_protected });
  if (reason !== null) return certainly(reason, shown());
  return firstConcern(innerCommands(program, args, stdin), (inner) =>
    judgeInner(inner, shown, { ...scene, depth: scene.depth + 1 }),
  );
}

function judgeInner(inner: InnerCommand, shown: () => string, scene: Scene): Concern | null {
  switch (inner.kind) {
    case 'call':
      return judgeCall(inner.argv, { ...scene, over_tree: scene.over_tree || inner.over_tree });
    case 'script': {
      const values = withPositional(scene.values, inner.positional);
      return judgeScript(inner.text, { ...scene, values });
    }
    case 'opaque':
      return doubt('What it runs is only known once it runs', shown());
    case 'guess': {
      const concern = judgeInner(inner.inner, shown, scene);
      return concern?.is_certain ? concern : null;
    }
  }
}

/** `sh -c script name argument…`: what `$0`, `$1` and `$@` are in the script. */
function withPositional(values: Values, positional: readonly string[]): Values {
  const known = positional.map((text) => (hasHole(text) ? '' : text));
  return new Map([
    ...values,
    ...known.map((text, index): [string, string[]] => [String(index), [text]]),
    ['@', [known.slice(1).join(' ')]],
  ]);
}

function firstConcern<T>(items: readonly T[], judge: (item: T) => Concern | null): Concern | null {
  for (const item of items) {
    const concern = judge(item);
    if (concern !== null) return concern;
  }
  return null;
}

function certainly(reason: string, shown: string): Concern {
  return { is_certain: true, reason: `${reason}: ${shown}` };
}

function doubt(reason: string, shown: string): Concern {
  return { is_certain: false, reason: `${reason}: ${shown}` };
}
