import { afterEach, describe, expect, it } from 'vitest';
import {
  asks,
  type ChatGateway,
  message,
  startChatGateway,
} from './chat/test-support/chat-gateway.ts';
import { anApproval, aTask } from './testing/builders.ts';
import { runCaptured } from './testing/run-captured.ts';
import { json, problem } from './testing/scripted-gateway.ts';

let gateway: ChatGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

const completed = { type: 'turn.completed' };
const answers = (content: string, send: (event: { type: string; data?: unknown }) => void) => {
  send(message('assistant', `re: ${content}`));
  send(completed);
};

/** Pipes lines into a conversation. */
async function pipe(
  lines: string[],
  onTurn: Parameters<typeof startChatGateway>[0] = answers,
  routes: Parameters<typeof startChatGateway>[1] = {},
  args: string[] = [],
) {
  gateway = await startChatGateway(onTurn, routes);
  const input = { stdin: `${lines.join('\n')}\n` };
  const result = await runCaptured(['chat', ...args, '--url', gateway.base_url], input);
  return { ...result, said: gateway.said(), decided: gateway.decided(), heard: gateway.heard };
}

/** A turn that asks once and ends when it was answered. */
function approvals(...ids: string[]) {
  let open = ids.length;
  const decide = (id: string) => ({
    [`POST /api/approvals/${id}`]: (request: never, response: never) => {
      const { decision } = (request as { body: { decision: string } }).body;
      const status = decision === 'approve' ? 'approved' : 'denied';
      open -= 1;
      gateway?.send({ type: 'approval.decided', data: { approval_id: id, status } });
      if (open === 0) gateway?.send({ type: 'turn.completed', turn_id: 'turn_1' });
      return json(anApproval({ id, status }))(request, response);
    },
  });
  const onTurn: Parameters<typeof startChatGateway>[0] = (_, send) => {
    if (open > 0) for (const id of ids) send(asks(id, `rm ${id}`));
    else send(completed);
  };
  return { onTurn, routes: Object.assign({}, ...ids.map(decide)) };
}

describe('a question', () => {
  it.each([
    ['yes', 'approve'],
    ['Ja', 'approve'],
    ['nein', 'deny'],
  ])('is shown with its number and answered by a plain %j', async (word, decision) => {
    const { onTurn, routes } = approvals('apr_1');
    const { stderr, said, decided, code } = await pipe(
      ['clean up', word, 'thanks'],
      onTurn,
      routes,
    );
    expect(stderr).toContain('? [1] shell_execute {"command":"rm apr_1"} (it deletes)\n');
    expect(stderr).toContain('answer with: yes, no, /approve 1, /deny 1\n');
    expect(decided).toEqual([['apr_1', { decision, scope: 'once' }]]);
    expect(said).toEqual([{ content: 'clean up' }, { content: 'thanks' }]);
    expect(code).toBe(0);
  });

  it('is not answered by a yes when there are two, but by number or id', async () => {
    const { onTurn, routes } = approvals('apr_1', 'apr_2');
    const lines = ['clean up', 'yes', '/deny 2 not the logs', '/approve apr_1 always'];
    const items = [anApproval({ id: 'apr_2' }), anApproval({ id: 'apr_1' })];
    const pending = { 'GET /api/approvals': json({ items }) };
    const all = { ...pending, ...routes };
    const { stderr, said, decided, code } = await pipe(lines, onTurn, all);
    expect(stderr).toMatch(/2 questions are open; name one, as in \/approve 1:\n {2}\[1\]/);
    expect(decided).toEqual([
      ['apr_2', { decision: 'deny', reason: 'not the logs', scope: 'once' }],
      ['apr_1', { decision: 'approve', scope: 'session' }],
    ]);
    expect(said).toEqual([{ content: 'clean up' }]);
    expect(code).toBe(2);
  });

  it('that is not open is not answered: a yes is then said', async () => {
    const { stderr, said, decided } = await pipe(['yes', '/approve', '/deny 7']);
    expect(said).toEqual([{ content: 'yes' }]);
    expect(decided).toEqual([]);
    expect(stderr).toContain('No question is open.\nNo open question is called 7.\n');
  });

  it('that someone else has answered is told in the gateway’s words', async () => {
    const { onTurn } = approvals('apr_1');
    const late: Parameters<typeof startChatGateway>[1] = {
      'POST /api/approvals/apr_1': (request, response) => {
        gateway?.send({
          type: 'approval.decided',
          data: { approval_id: 'apr_1', status: 'denied' },
        });
        gateway?.send({ type: 'turn.completed', turn_id: 'turn_1' });
        return problem(409, 'conflict', 'This was denied already.')(request, response);
      },
    };
    const { stderr, code } = await pipe(['clean up', 'yes'], onTurn, late);
    expect(stderr).toContain('This was denied already.');
    expect(code).toBe(1);
  });

  it('with options is answered by a number, and by anything else as it is', async () => {
    const question = { question: 'Which sea?', options: ['North', 'Baltic'] };
    const call = { id: 'c1', name: 'ask_user', arguments: question };
    const { said, stdout } = await pipe(['sail', '2', 'sail', '3'], (content, send) => {
      if (content !== 'sail') return send(completed);
      send(message('assistant', '', { tool_calls: [call] }));
      send({ type: 'turn.awaiting_user' });
    });
    expect(stdout).toContain('Which sea?\n  1) North\n  2) Baltic\n');
    expect(said).toEqual([
      { content: 'sail' },
      { content: 'Baltic' },
      { content: 'sail' },
      { content: '3' },
    ]);
  });
});

describe('a command', () => {
  it('that does not exist is answered with the nearest, with 2, and is not said', async () => {
    const { stderr, said, code } = await pipe(['/aprove', '//aprove it']);
    expect(stderr).toContain('There is no /aprove; did you mean /approve? /help lists all.');
    expect(said).toEqual([{ content: '/aprove it' }]);
    expect(code).toBe(2);
  });

  it('says how it is written when something is missing', async () => {
    const lines = ['/run', '/steer task_1', '/recall', '/interrupt', '/history zero'];
    const { stderr, heard } = await pipe(lines);
    expect(stderr).toContain('Write it as: /run <goal>\n');
    expect(stderr).toContain('No task of this session is called task_1; /tasks lists them.\n');
    expect(stderr).toContain('Write it as: /recall <query>\nWrite it as: /interrupt <words>\n');
    expect(stderr).toContain('Give a number from 1 to 100');
    expect(heard.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('/help names them all on stdout', async () => {
    const { stdout, code } = await pipe(['/help']);
    const names = stdout.match(/^\/\w+/gm);
    expect(names).toEqual(
      '/help /run /tasks /steer /approve /deny /recall /history /todos /stop /interrupt /quit'.split(
        ' ',
      ),
    );
    expect(code).toBe(0);
  });

  it('/stop reaches the turn at work though it comes from a pipe', async () => {
    const { stderr, said, code } = await pipe(['slow', '/stop', 'next'], (content, send) => {
      if (content === 'next') send(completed);
    });
    expect(stderr).toMatch(/stopping the turn\n[\s\S]*turn cancelled\n/);
    expect(said).toHaveLength(2);
    expect(code).toBe(1);
  });

  it('/interrupt says it before what is at work has ended', async () => {
    const { said, code } = await pipe(['slow', '/interrupt hurry up'], (content, send) => {
      if (content !== 'hurry up') return;
      send({ type: 'turn.cancelled', turn_id: 'turn_1' });
      send(completed);
    });
    expect(said).toEqual([{ content: 'slow' }, { content: 'hurry up', if_busy: 'interrupt' }]);
    expect(code).toBe(1);
  });

  it('/steer tells a task by the end of its id, and /tasks lists it', async () => {
    const items = [aTask({ id: 'task_abc', status: 'running' }), aTask({ id: 'task_xbc' })];
    const { stdout, stderr, heard } = await pipe(
      ['/steer abc go left', '/steer bc go right', '/tasks'],
      answers,
      {
        'GET /api/tasks': json({ items, next_cursor: null }),
        'POST /api/tasks/task_abc/steer': json({ receipt_id: 'r' }, 202),
      },
    );
    expect(heard.find(({ path }) => path.endsWith('/steer'))?.body).toEqual({
      guidance: 'go left',
    });
    expect(stderr).toContain('Several tasks end with bc: task_abc, task_xbc');
    expect(stdout).toMatch(/^ID .*\ntask_abc {2}running/);
  });

  it('/run waits for its task in a pipe, prints its result, and shows it in the exit code', async () => {
    const running = aTask({ status: 'running', summary: null });
    const over = aTask({ verification: 'partly_verified' });
    let looked = 0;
    const { stdout, code, heard } = await pipe(['/run write it', 'and?'], answers, {
      'POST /api/tasks': json(running, 202),
      'GET /api/tasks/task_1': (request, response) => {
        looked += 1;
        if (looked === 1) gateway?.send({ type: 'task.completed', task_id: 'task_1' });
        return json(looked === 1 ? running : over)(request, response);
      },
    });
    expect(
      heard.find(({ path, method }) => method === 'POST' && path === '/api/tasks')?.body,
    ).toEqual({
      goal: 'write it',
      session_id: 'ses_1',
    });
    expect(stdout).toBe('All done.\nre: and?\n');
    expect(code).toBe(3);
  });

  it('/todos shows those of the newest turn', async () => {
    const items = [
      { id: 'todo_1', title: 'Read', status: 'completed', outcome: 'read' },
      { id: 'todo_2', title: 'Write', status: 'pending', outcome: '' },
    ];
    const routes = { 'GET /api/sessions/ses_1/todos': json({ items }) };
    const { stdout, heard } = await pipe(['work', '/todos'], answers, routes);
    expect(stdout).toBe('re: work\n[x] Read (read)\n[ ] Write\n');
    expect(heard.at(-1)?.path).toBe('/api/sessions/ses_1/todos?turn_id=turn_1');
  });

  it('gives events and results one a line with --json', async () => {
    const answer = { text: 'Found it.', matches: [] };
    const routes = { 'POST /api/sessions/ses_1/recall': json(answer) };
    const { stdout, stderr } = await pipe(['hi', '/recall door', '/nope'], answers, routes, [
      '--json',
    ]);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual([
      'message.appended',
      'message.appended',
      'turn.completed',
      'chat.recall',
    ]);
    expect(lines[3].data).toEqual(answer);
    expect(JSON.parse(stderr).detail).toContain('There is no /nope');
  });
});
