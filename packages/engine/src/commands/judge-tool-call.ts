import { deletesData } from './gated-sql.ts';
import { judgeArguments, judgeCommand } from './judge-command.ts';
import { shownText } from './program-name.ts';
import { isProtectedPath } from './protected-path.ts';

type Arguments = Record<string, unknown>;

const readers = new Set(
  'ask_user conversation_recall delegate_task glob_find list_directory list_tools read_artifact read_file search_files web_fetch'.split(
    ' ',
  ),
);

const pathKeys =
  /^(path|paths|file|file_path|filename|from|to|source|destination|target|src|dst|old_path|new_path)$/;
const commandKeys = ['command', 'cmd', 'script'];
const sqlKeys = ['sql', 'statement'];

const changes =
  /(^|[^a-z])(write|edit|create|move|rename|delete|remove|put|save|append|update|upload|patch)/;
const removes = /(^|[^a-z])(delete|remove|rm)/;
const asksDatabase = /sql|postgres|database|(^|[^a-z])(db|query|execute)([^a-z]|$)/;

/** Why a tool call must always be seen by a person first (behaviours, A1), as a sentence; else null. */
export function judgeToolCall(tool: string, args: unknown): string | null {
  if (!isArguments(args) || readers.has(tool)) return null;
  switch (tool) {
    case 'shell_execute':
      return typeof args.command === 'string' ? judgeCommand(args.command) : null;
    case 'git_command':
      return judgeGit(args);
    case 'run_tool':
      return judgeRunTool(args);
    default:
      return judgeOther(tool, args);
  }
}

function isArguments(value: unknown): value is Arguments {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function judgeGit({ args, command }: Arguments): string | null {
  const given = args ?? command;
  if (isTexts(given)) return judgeArguments(given[0] === 'git' ? given : ['git', ...given]);
  if (typeof given !== 'string') return null;
  return judgeCommand(/^\s*git\s/.test(given) ? given : `git ${given}`);
}

/** The call that is run in the end counts, not the tool that runs it. */
function judgeRunTool(args: Arguments): string | null {
  const tool = args.name ?? args.tool ?? args.tool_name;
  if (typeof tool !== 'string' || tool === 'run_tool') return null;
  return judgeToolCall(tool, args.arguments ?? args.args ?? args.input);
}

/** File tools, and tools of other servers as far as the names of their arguments say what they do. */
function judgeOther(name: string, args: Arguments): string | null {
  const tool = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  return (
    judgeCommands(args) ??
    judgeSql(tool, args) ??
    (changes.test(tool) ? judgePaths(tool, args) : null)
  );
}

function judgeCommands(args: Arguments): string | null {
  for (const key of commandKeys) {
    const value = args[key];
    if (typeof value !== 'string' && !isTexts(value)) continue;
    const reason = typeof value === 'string' ? judgeCommand(value) : judgeArguments(value);
    if (reason !== null) return reason;
  }
  return null;
}

function judgeSql(tool: string, args: Arguments): string | null {
  // To most tools a query is what to look for.
  const keys = asksDatabase.test(tool) ? [...sqlKeys, 'query'] : sqlKeys;
  for (const key of keys) {
    const value = args[key];
    if (typeof value === 'string' && deletesData(value)) {
      return `It deletes data from a database: ${shownText(value)}`;
    }
  }
  return null;
}

function judgePaths(tool: string, args: Arguments): string | null {
  const paths = Object.entries(args)
    .filter(([key]) => pathKeys.test(key))
    .flatMap(([, value]) => (isTexts(value) ? value : typeof value === 'string' ? [value] : []));
  const secret = paths.find((path) => isProtectedPath(path));
  if (secret !== undefined) {
    return `It changes a file in which secrets are kept: ${shownText(secret)}`;
  }
  return removes.test(tool) && args.recursive === true
    ? `It deletes directories and all they contain: ${shownText(paths.join(' '))}`
    : null;
}
