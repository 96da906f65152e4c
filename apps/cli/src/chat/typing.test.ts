import { afterEach, describe, expect, it } from 'vitest';
import { anApproval } from '../testing/builders.ts';
import { json } from '../testing/scripted-gateway.ts';
import { asks, type ChatGateway, message, startChatGateway } from './test-support/chat-gateway.ts';
import { startTyping, type Typing } from './test-support/start-typing.ts';

let gateway: ChatGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

const wiped = '\u001b[1G\u001b[0J';

type OnTurn = Parameters<typeof startChatGateway>[0];

async function sitDown(onTurn: OnTurn, args: string[] = []): Promise<Typing> {
  gateway = await startChatGateway(onTurn);
  const typing = startTyping(['chat', ...args, '--url', gateway.base_url], { tty: true });
  await typing.until(/› /);
  return typing;
}

describe('in front of a terminal', () => {
  it('a message that is typed while a turn is at work waits for it, and nothing waits for the turn', async () => {
    const typing = await sitDown(() => {});
    typing.type('first');
    typing.type('second');
    await typing.until(/a turn is at work: this waits for it; \/interrupt <words> would stop it/);
    expect(gateway?.said()).toEqual([{ content: 'first' }, { content: 'second' }]);
    typing.type('/quit');
    expect(await typing.done).toBe(0);
    expect(typing.screen()).toContain('the turn goes on; come back with: loom chat --resume ses_1');
  });

  it('what is printed goes above the prompt, and what was typed so far stays', async () => {
    const typing = await sitDown(() => {});
    gateway?.send({ ...message('user', 'from elsewhere'), turn_id: 'turn_7' });
    await typing.until(/› from elsewhere\n.*› /s);
    gateway?.send({ ...message('assistant', 'an answer'), turn_id: 'turn_7' });
    // The prompt is wiped before the line and drawn again below it.
    await typing.until(`${wiped}an answer\n${wiped}› `);
    typing.type('/quit');
    expect(await typing.done).toBe(0);
  });

  it('a failed turn does not end the conversation, nor show in the exit code', async () => {
    const typing = await sitDown((content, send) => {
      if (content === 'two') send(message('assistant', 'fine'));
      send({ type: content === 'two' ? 'turn.completed' : 'turn.failed' });
    });
    typing.type('one');
    await typing.until(/There is no such thing/);
    typing.type('two');
    await typing.until(/fine/);
    typing.type('/exit');
    expect(await typing.done).toBe(0);
  });
});

describe('Ctrl-C', () => {
  it('stops the turn, then leaves once it has nothing to stop', async () => {
    const typing = await sitDown((_, send) => send(message('assistant', 'hm')));
    typing.type('slow');
    await typing.until(/hm/);
    typing.interrupt();
    await typing.until(/stopping the turn; Ctrl-C again leaves/);
    await typing.until(/turn cancelled/);
    typing.interrupt();
    expect(await typing.done).toBe(130);
    expect(gateway?.heard.filter(({ path }) => path.endsWith('/cancel'))).toHaveLength(1);
  });

  it('stops a turn that waits for an answer, and its question with it', async () => {
    const typing = await sitDown((content, send) => {
      if (content === 'clean') send(asks('apr_1', 'rm'));
    });
    typing.type('clean');
    await typing.until(/\? \[1\]/);
    typing.interrupt();
    await typing.until(/turn cancelled/);
    typing.type('yes');
    typing.type('/approve');
    await typing.until(/No question is open/);
    expect(gateway?.said()).toEqual([{ content: 'clean' }, { content: 'yes' }]);
    expect(gateway?.decided()).toEqual([]);
    typing.type('/quit');
    expect(await typing.done).toBe(0);
  });

  it('leaves the second time when the turn does not stop', async () => {
    gateway = await startChatGateway((_, send) => send(message('assistant', 'hm')), {
      'POST /api/sessions/ses_1/turns/turn_1/cancel': (_, response) => void response.end('{}'),
    });
    const typing = startTyping(['chat', '--url', gateway.base_url], { tty: true });
    await typing.until(/› /);
    typing.type('slow');
    await typing.until(/hm/);
    typing.interrupt();
    await typing.until(/Ctrl-C again leaves/);
    typing.interrupt();
    expect(await typing.done).toBe(130);
  });
});

it('lines of a pipe wait for the turn before them, and nothing is prompted for', async () => {
  let end = () => {};
  gateway = await startChatGateway((content, send) => {
    send(message('assistant', `re: ${content}`));
    end = () => send({ type: 'turn.completed' });
    if (content === 'two') end();
  });
  const typing = startTyping(['chat', '--url', gateway.base_url], { tty: false });
  typing.type('one');
  typing.type('two');
  typing.type('/quit');
  await typing.until(/re: one/);
  expect(gateway.said()).toHaveLength(1);
  end();
  expect(await typing.done).toBe(0);
  expect(typing.screen()).toBe('session ses_1\nre: one\nre: two\n');
});

it('a question that was answered is off the table before its event comes', async () => {
  gateway = await startChatGateway(
    (content, send) => send(content === 'clean' ? asks('apr_1', 'rm') : { type: 'turn.completed' }),
    { 'POST /api/approvals/apr_1': json(anApproval({ status: 'approved' })) },
  );
  const typing = startTyping(['chat', '--url', gateway.base_url], { tty: false });
  for (const line of ['clean', 'yes', 'yes', '/quit']) typing.type(line);
  await typing.until('[1] approved');
  gateway.send({ type: 'turn.completed', turn_id: 'turn_1' });
  expect(await typing.done).toBe(0);
  expect(gateway.decided()).toHaveLength(1);
  expect(gateway.said()).toEqual([{ content: 'clean' }, { content: 'yes' }]);
});
