import type { SessionState } from '@loom/shared/session-state';

/** About a thousand tokens. */
const maxChars = 4_000;

/** The state as YAML for a model's window; null when there is nothing to tell. The oldest files go first. */
export function renderSessionState(state: SessionState): string | null {
  const { focus, decisions, files, errors_resolved } = state;
  if (focus === '' && decisions.length + files.length + errors_resolved.length === 0) return null;
  for (let left = files.length; ; left -= 1) {
    const text = render(state, left === 0 ? [] : files.slice(-left));
    if (text.length <= maxChars || left === 0) return text.slice(0, maxChars);
  }
}

function render(state: SessionState, files: SessionState['files']): string {
  const { focus, decisions, errors_resolved } = state;
  return [
    ...(focus === '' ? [] : [`current_focus: ${quote(focus)}`]),
    ...list('decisions', decisions, ({ text, number }) => `${quote(text)} # message ${number}`),
    ...list('files_touched', files, ({ path, action }) => `${quote(path)} # ${action}`),
    ...list('errors_resolved', errors_resolved, ({ tool, target, error }) =>
      quote(`${tool} ${target}: ${error}`),
    ),
  ].join('\n');
}

function list<T>(name: string, items: readonly T[], line: (item: T) => string): string[] {
  return items.length === 0 ? [] : [`${name}:`, ...items.map((item) => `  - ${line(item)}`)];
}

// A JSON string is a YAML scalar whatever it holds.
function quote(text: string): string {
  return JSON.stringify(text.length <= 300 ? text : `${text.slice(0, 299)}…`);
}
