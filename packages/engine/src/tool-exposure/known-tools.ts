/** Part of every call: what a conversation is held with. */
export const coreTools = ['conversation_recall', 'ask_user', 'delegate_task'] as const;

/** The way to every tool whose schema is not sent. */
export const fallbackTools = ['list_tools', 'run_tool'] as const;

/** Part of every call that may be about work: few tasks go without them. */
export const essentialTools = [
  'read_file',
  'write_file',
  'edit_file',
  'list_directory',
  'search_files',
  'shell_execute',
] as const;

interface KnownTool {
  category: string;
  /** Words with which people ask for it, besides those that every task has. */
  asked_by: string;
}

const webWords =
  'url web website site page link http www internet online download fetch browse webseite seite netz internetseite herunterladen';
const todoWords = 'todo checklist step plan schritt plane aufgabenliste étape paso';

/** Our own tools, in the order in which they are offered. */
export const knownTools: Readonly<Record<string, KnownTool>> = {
  conversation_recall: { category: 'conversation', asked_by: '' },
  ask_user: { category: 'conversation', asked_by: '' },
  delegate_task: { category: 'delegation', asked_by: '' },
  list_tools: { category: 'catalog', asked_by: '' },
  run_tool: { category: 'catalog', asked_by: '' },
  read_file: { category: 'files', asked_by: '' },
  write_file: { category: 'files', asked_by: '' },
  edit_file: { category: 'files', asked_by: '' },
  list_directory: { category: 'files', asked_by: '' },
  search_files: { category: 'files', asked_by: '' },
  shell_execute: { category: 'shell', asked_by: '' },
  glob_find: {
    category: 'files',
    asked_by: 'find glob pattern where finde finden wo cherche busca',
  },
  git_command: {
    category: 'git',
    asked_by:
      'git commit branch diff merge rebase blame stash checkout repository repo tag changelog',
  },
  create_todo: { category: 'todos', asked_by: todoWords },
  list_todo: { category: 'todos', asked_by: todoWords },
  complete_todo: { category: 'todos', asked_by: todoWords },
  web_fetch: { category: 'web', asked_by: webWords },
  read_artifact: { category: 'artifacts', asked_by: `artifact artefakt ${webWords}` },
  record_decision: {
    category: 'conversation',
    asked_by:
      'decide decided decision always never agree agreed prefer entscheide entschieden entscheidung beschlossen immer nie niemals décidé decidido',
  },
  move_file: {
    category: 'files',
    asked_by:
      'move rename verschiebe verschieben umbenennen benenne déplace renomme mueve renombra',
  },
  delete_file: {
    category: 'files',
    asked_by: 'delete remove erase lösche löschen entferne entfernen supprime elimina borra',
  },
};

/** What a tool is about, for grouping; a server's tools are about that server. */
export function toolCategory(name: string): string {
  const known = Object.hasOwn(knownTools, name) ? knownTools[name] : undefined;
  if (known !== undefined) return known.category;
  const server = name.indexOf('__');
  return server > 0 ? name.slice(0, server) : 'other';
}
