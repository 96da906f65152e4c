import { describe, expect, test } from 'vitest';
import { exposeTools, maxExposedBytes, type ToolExposure } from './expose-tools.ts';
import {
  coreTools,
  essentialTools,
  fallbackTools,
  knownTools,
  toolCategory,
} from './known-tools.ts';
import { type ToolChoice, type ToolIntent, toolTier, toolTiers } from './tool-tier.ts';

const own = Object.keys(knownTools).map((name) => tool(name));
const strangers = [
  tool('github__create_issue', 'Open a new issue in a repository'),
  tool('github__list_issues', 'List the issues of a repository'),
  tool('github__merge_pull_request', 'Merge a pull request'),
  tool('slack__post', 'Deliver a message to a channel of the workspace'),
  tool('weather__forecast', 'Tells tomorrow’s weather of a city'),
  ...Array.from({ length: 40 }, (_, n) => tool(`crm__op_${n}`, 'Something with customers')),
];
const all = [...strangers, ...own];

function tool(name: string, description = name, schema_bytes = 400): ToolChoice {
  return { name, description, schema_bytes };
}

function expose(text: string, options: Partial<ToolIntent> & { mode?: ToolExposure } = {}) {
  const { mode = 'hybrid', ...intent } = options;
  return exposeTools({
    mode,
    tools: all,
    intent: { text, recent: [], small_talk: false, ...intent },
  });
}

describe('modes', () => {
  test('full gives everything, in one order', () => {
    const names = exposeTools({ mode: 'full', tools: all, intent: intentOf('x') });
    expect([...names].sort()).toEqual(all.map(({ name }) => name).sort());
    const shuffled = exposeTools({ mode: 'full', tools: all.toReversed(), intent: intentOf('y') });
    expect(shuffled).toEqual(names);
  });

  test('hybrid gives sixteen and the way to the others', () => {
    const names = expose('Fix the failing test');
    expect(names.slice(0, 11)).toEqual([...coreTools, ...fallbackTools, ...essentialTools]);
    expect(names).toHaveLength(18);
  });

  test('adaptive gives sixteen and no way to the others', () => {
    const names = expose('Fix the failing test', { mode: 'adaptive' });
    expect(names).toHaveLength(16);
    for (const name of fallbackTools) expect(names).not.toContain(name);
  });

  test('small talk gets the core alone, however the tools were used before', () => {
    const recent = ['github__list_issues'];
    expect(expose('hi', { small_talk: true, recent })).toEqual([...coreTools, ...fallbackTools]);
    expect(expose('hi', { small_talk: true, mode: 'adaptive' })).toEqual([...coreTools]);
  });
});

describe('ranking', () => {
  test.each([
    ['Summarise https://example.com/a', 'web_fetch'],
    ['Was steht auf der Webseite?', 'web_fetch'],
    ['What changed between the last two commits?', 'git_command'],
    ['Rename a.ts to b.ts', 'move_file'],
    ['Lösche die alten Logs', 'delete_file'],
    ['show me af_0123abc', 'read_artifact'],
    ['We decided on Postgres', 'record_decision'],
    ['Make a checklist of what is left', 'create_todo'],
    ['Create an issue about the crash', 'github__create_issue'],
    ['list my open GitHub issues', 'github__list_issues'],
    ['What does the CRM say?', 'crm__op_0'],
    ['createIssue for it', 'github__create_issue'],
    ['please deliver this message to the channel', 'slack__post'],
    ['Will it rain? Ask the weather service for a forecast', 'weather__forecast'],
  ])('%s → %s', (text, name) => {
    expect(expose(text)).toContain(name);
    const wanted = all.find((one) => one.name === name) ?? tool('');
    expect(toolTier(intentOf(text))(wanted)).toBeLessThan(toolTiers.own);
    expect(toolTier(intentOf('Fix the failing test'))(wanted)).toBeGreaterThanOrEqual(
      toolTiers.own,
    );
  });

  test('what nobody asked for gives way', () => {
    expect(expose('Fix the failing test')).not.toContain('github__create_issue');
    expect(expose('Fix the failing test')).not.toContain('crm__op_0');
  });

  test('a tool that was used is offered again', () => {
    expect(expose('go on')).not.toContain('crm__op_39');
    expect(expose('go on', { recent: ['crm__op_39'] })).toContain('crm__op_39');
  });

  test('the best named come first when there is no room for all', () => {
    const many = Array.from({ length: 30 }, (_, n) => tool(`github__a_issue_${n}`));
    const tools = [...own, ...many, tool('github__list_issues')];
    const names = exposeTools({ mode: 'hybrid', tools, intent: intentOf('list github issues') });
    expect(names).toContain('github__list_issues');
  });

  test('a schema that is too large leaves its place to others, and the essentials stay', () => {
    const giant = tool('big__search', 'search', maxExposedBytes);
    const names = exposeTools({
      mode: 'hybrid',
      tools: [giant, ...own],
      intent: { ...intentOf('search big'), recent: ['big__search'] },
    });
    expect(names).not.toContain('big__search');
    expect(names).toEqual(expect.arrayContaining([...essentialTools]));
    expect(names).toHaveLength(18);
  });

  test('many large schemas that are asked for do not crowd out the essentials', () => {
    const many = Array.from({ length: 20 }, (_, n) => tool(`big__search_${n}`, 'search', 1_500));
    const intent = { ...intentOf('search big'), recent: many.map(({ name }) => name).slice(0, 6) };
    const names = exposeTools({ mode: 'hybrid', tools: [...many, ...own], intent });
    expect(names).toEqual(expect.arrayContaining([...essentialTools, 'big__search_0']));
  });
});

test('requests of one kind get the same list', () => {
  const classes = [
    [
      'Fix the failing test',
      'Explain this function to me',
      'Warum ist das so langsam?',
      'Refactor it',
    ],
    ['commit this', 'show the git diff', 'Which branch is it?', 'who wrote it? git blame'],
    ['get https://a.example/x', 'read the web page b.example', 'Lade die Webseite'],
  ];
  for (const requests of classes) {
    expect(new Set(requests.map((text) => expose(text).join())).size).toBe(1);
  }
});

test('what was just used and is shown anyway does not change the list', () => {
  const before = expose('Fix the failing test');
  for (const name of before.slice(5)) {
    expect(expose('Fix the failing test', { recent: [name] })).toEqual(before);
  }
});

test.each([
  ['read_file', 'files'],
  ['github__create_issue', 'github'],
  ['__odd', 'other'],
  ['constructor', 'other'],
])('%s is about %s', (name, category) => {
  expect(toolCategory(name)).toBe(category);
});

function intentOf(text: string): ToolIntent {
  return { text, recent: [], small_talk: false };
}
