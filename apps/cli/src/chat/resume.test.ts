import { afterEach, describe, expect, it } from 'vitest';
import { anApproval, aSession, aTask } from '../testing/builders.ts';
import { runCaptured } from '../testing/run-captured.ts';
import { json } from '../testing/scripted-gateway.ts';
import { aMessage, type ChatGateway, startChatGateway } from './test-support/chat-gateway.ts';

let gateway: ChatGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

type Routes = NonNullable<Parameters<typeof startChatGateway>[1]>;

async function resume(args: string[], lines: string[], routes: Routes) {
  gateway = await startChatGateway((_, send) => send({ type: 'turn.completed' }), routes);
  const stdin = lines.map((line) => `${line}\n`).join('');
  const said = await runCaptured(['chat', ...args, '--url', gateway.base_url], { stdin });
  return { ...said, said: gateway.said(), heard: gateway.heard };
}

/** Twenty exchanges of three messages: what was asked, a tool's result, what was answered. */
const archive = Array.from({ length: 60 }, (_, index) => {
  const exchange = Math.floor(index / 3) + 1;
  if (index % 3 === 0) return aMessage(index + 1, 'user', `ask ${exchange}`);
  if (index % 3 === 1) return { ...aMessage(index + 1, 'tool', 'found'), tool_name: 'look' };
  return aMessage(index + 1, 'assistant', `answer ${exchange}`);
});

const lastEvent = { type: 'message.appended', data: { ...archive.at(-1) } };

/** The archive in pages of at most seven messages, whatever is asked for. */
const pages: Routes = {
  'GET /api/sessions/ses_1/messages': (request, response) => {
    const query = new URL(request.path, 'http://x').searchParams;
    const before = archive.filter(({ number }) => number < Number(query.get('before')));
    const items = before.slice(-7);
    const next_cursor = before.length > 7 ? String(items[0]?.number) : null;
    // Its event comes while the page that holds it is read.
    if (before.length === archive.length) gateway?.send({ ...lastEvent, turn_id: 'turn_9' });
    return json({ items, next_cursor })(request, response);
  },
};

describe('--resume', () => {
  it('takes the session of the directory in which something happened last, and lists others', async () => {
    const items = [
      aSession({ id: 'ses_2', updated_at: '2026-01-02', title: 'Tea' }),
      aSession({ id: 'ses_1', updated_at: '2026-01-03' }),
      aSession({ id: 'ses_3', updated_at: '2026-01-04', status: 'ended' }),
    ];
    const sessions: Routes = { 'GET /api/sessions': json({ items, next_cursor: null }) };
    const { stderr, heard, code } = await resume(['--resume'], [], sessions);
    expect(code).toBe(0);
    const query = new URL(heard[0]?.path ?? '', 'http://x').searchParams;
    expect(query.get('workspace')).toBe(process.cwd());
    expect(stderr).toMatch(/ {2}ses_2 {2}2026-01-02 {2}2 messages {2}Tea\nsession ses_1\n/);
    expect(stderr).not.toContain('ses_3');
  });

  it('names what there is elsewhere when the directory has none', async () => {
    const sessions: Routes = {
      'GET /api/sessions': (request, response) => {
        const isOfDirectory = request.path.includes('workspace=');
        return json({ items: isOfDirectory ? [] : [aSession()] })(request, response);
      },
    };
    const { stderr, code } = await resume(['--resume', '--workspace', '/w'], ['hi'], sessions);
    expect(stderr).toMatch(/There is no open session of \/w\. Name one with: .*\n {2}ses_1 /);
    expect(code).toBe(1);
  });

  it('shows the last exchanges, and pages back with /history to the beginning', async () => {
    const lines = ['/history', '/history', '/history', '/history', '/history 1'];
    const { stderr, stdout } = await resume(['--resume', 'ses_1'], lines, pages);
    expect(stderr).toMatch(
      /^session ses_1\n› ask 18\n← look: found\nanswer 18\n› ask 19\n[\s\S]*answer 20\n\/history/,
    );
    const shown = stdout.match(/ask \d+/g)?.map((line) => Number(line.slice(4)));
    const back = [13, 14, 15, 16, 17, 8, 9, 10, 11, 12, 3, 4, 5, 6, 7, 1, 2];
    expect(shown).toEqual([...back, 20]);
    expect(stdout.match(/answer 20/g)).toHaveLength(1);
    expect(stderr.match(/that is the beginning/g)).toHaveLength(1);
  });

  it('finds the open question, the turn that asks and the task at work', async () => {
    const call = {
      id: 'c',
      name: 'ask_user',
      arguments: { question: 'Which?', options: ['a', 'b'] },
    };
    const asked = { ...aMessage(2, 'assistant', ''), tool_calls: [call], turn_id: 'turn_9' };
    const messages = [{ ...aMessage(1, 'user', 'go'), turn_id: 'turn_9' }, asked];
    const turn = {
      id: 'turn_9',
      session_id: 'ses_1',
      status: 'awaiting_user',
      error: null,
      messages,
    };
    const times = { created_at: '', started_at: null, ended_at: null };
    const { stderr, stdout, said, heard } = await resume(['--resume', 'ses_1'], ['/tasks', '2'], {
      'GET /api/sessions/ses_1/messages': json({ items: messages, next_cursor: null }),
      'GET /api/sessions/ses_1/turns/turn_9': json({ ...turn, ...times }),
      'GET /api/approvals': json({ items: [anApproval()], next_cursor: null }),
      'GET /api/tasks': json({ items: [aTask({ status: 'running' })], next_cursor: null }),
      'GET /api/tasks/task_1': json(aTask({ status: 'running' })),
    });
    expect(stderr).toContain('› go\nWhich?\n  1) a\n  2) b\n? [1] clean: shell_execute');
    expect(stdout).toContain('task_1  running');
    expect(said).toEqual([{ content: 'b' }]);
    expect(heard.some(({ path }) => path.includes('status=pending&session_id=ses_1'))).toBe(true);
  });

  it('cannot be combined with --session', async () => {
    const { code } = await runCaptured(['chat', '--resume', 'ses_1', '--session', 'ses_1']);
    expect(code).toBe(2);
  });
});
