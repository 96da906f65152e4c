import { afterEach, expect, it } from 'vitest';
import { runCaptured } from '../testing/run-captured.ts';
import { json, type ScriptedGateway, startScriptedGateway } from '../testing/scripted-gateway.ts';

let gateway: ScriptedGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

const answer = {
  text: '1 message for "blue", the best first:\n\n[Turn 1] user:\n  blue',
  matches: [{ number: 1, role: 'user', excerpt: 'blue' }],
};

async function run(args: string[]) {
  gateway = await startScriptedGateway({ 'POST /api/sessions/ses_1/recall': json(answer) });
  return runCaptured(['recall', 'ses_1', ...args, '--url', gateway.base_url]);
}

it('prints what was found', async () => {
  const said = await run(['blue']);
  expect(said).toEqual({ code: 0, stdout: `${answer.text}\n`, stderr: '' });
});

it('gives the answer itself with --json', async () => {
  const { stdout } = await run(['blue', '--json']);
  expect(JSON.parse(stdout)).toEqual(answer);
});

it.each([
  [['blue green', '--limit', '3'], { action: 'search', query: 'blue green', limit: 3 }],
  [['--start', '2', '--end', '9'], { action: 'range', start_turn: 2, end_turn: 9 }],
  [['--tool', 'read_file'], { action: 'tool_calls', tool_name: 'read_file' }],
  [['--action', 'tool_calls'], { action: 'tool_calls' }],
  [[], { action: 'summary' }],
])('%j asks for %j', async (args, body) => {
  await run(args);
  expect(gateway?.heard[0]?.body).toEqual(body);
});

it.each([[['--limit', 'many']], [['--start', '0']], [['--action', 'guess']]])(
  'refuses %j without asking',
  async (args) => {
    const { code } = await run(args);
    expect({ code, heard: gateway?.heard }).toEqual({ code: 2, heard: [] });
  },
);
