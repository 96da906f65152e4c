import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorMessage } from '@loom/shared/app-error';
import { onFileEnd } from './file-end.ts';
import { type Action, planAction } from './scripted-model/answer.ts';
import { anthropicWire } from './scripted-model/anthropic-wire.ts';
import { Gate } from './scripted-model/gate.ts';
import { openaiWire } from './scripted-model/openai-wire.ts';
import { describeRequest, type Protocol, type ScriptedRequest } from './scripted-model/request.ts';
import { type Matcher, type ReplySource, Script } from './scripted-model/rules.ts';
import { perform, sendJson } from './scripted-model/send.ts';
import type { Wire } from './scripted-model/wire.ts';
import { type WorkingBrainOptions, workingBrain } from './scripted-model/working-brain.ts';

/** A model server under a test's control, speaking OpenAI's and Anthropic's protocols. */
export interface ScriptedModel {
  /** The `base_url` to configure, for either protocol. */
  url: string;
  /** Everything received, in order of arrival. */
  requests: ScriptedRequest[];
  /** Answers every matching request; rules are tried in the order they were given. */
  on(matcher: Matcher, reply: ReplySource): void;
  /** Answers the next matching request, before any `on` rule. */
  once(matcher: Matcher, reply: ReplySource): void;
  /** Makes matching requests wait at a gate. */
  hold(matcher: Matcher): Gate;
  /** Answers what no rule matches by doing the role's work. */
  useWorkingBrain(options?: WorkingBrainOptions): void;
  /** Forgets rules, brain, gates and requests. */
  reset(): void;
  close(): Promise<void>;
}

export interface ScriptedModelOptions {
  /** A free one unless given. */
  port?: number;
  /** False keeps no log of requests: for long benchmarks. */
  record?: boolean;
}

/** Starts a scripted model; it closes by itself at the end of the test file. */
export async function startScriptedModel(
  options: ScriptedModelOptions = {},
): Promise<ScriptedModel> {
  const script = new Script();
  const requests: ScriptedRequest[] = [];
  let gates: Gate[] = [];
  let count = 0;

  async function decide(
    body: string,
    protocol: Protocol,
    incoming: IncomingMessage,
    response: ServerResponse,
    arrived: number,
  ) {
    const parsed = JSON.parse(body) as Record<string, unknown>;
    count += 1;
    const request = describeRequest({
      ...wires[protocol].parse(parsed),
      number: count,
      at: Date.now(),
      protocol,
      headers: flatHeaders(incoming),
      body: parsed,
    });
    if (options.record !== false) requests.push(request);
    response.once('finish', () => {
      request.took_ms = performance.now() - arrived;
    });
    response.once('close', () => {
      request.abandoned = !response.writableFinished;
    });
    for (const gate of gates) await gate.pass(request);
    const reply = await script.reply(request);
    const action: Action =
      reply === null
        ? { kind: 'status', status: 400, message: `no rule for this ${request.role} request` }
        : planAction(reply, request.number);
    return { request, action };
  }

  const server = createServer((incoming, response) => {
    if (incoming.method === 'GET' && incoming.url === '/v1/models') {
      return sendJson(response, 200, {
        object: 'list',
        data: [{ id: 'scripted', object: 'model', created: 1_700_000_000, owned_by: 'test' }],
      });
    }
    const arrived = performance.now();
    const protocol = protocolOf(incoming);
    if (protocol === null) return sendJson(response, 404, { error: { message: 'no such route' } });
    readBody(incoming)
      .then((body) => decide(body, protocol, incoming, response, arrived))
      .then(({ request, action }) => perform(response, wires[protocol], request, action))
      .catch((error) => {
        if (response.headersSent) response.destroy();
        else sendJson(response, 400, wires[protocol].error(400, errorMessage(error)));
      });
  });
  // The default of five seconds races with clients that keep their connections.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });

  const openGates = () => {
    for (const gate of gates) gate.release();
    gates = [];
  };
  const close = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    openGates();
    await closed;
  };
  onFileEnd(close);

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    on: (matcher, reply) => script.on(matcher, reply),
    once: (matcher, reply) => script.once(matcher, reply),
    hold(matcher) {
      const gate = new Gate(matcher);
      gates.push(gate);
      return gate;
    },
    useWorkingBrain: (brain) => script.setBrain(workingBrain(brain)),
    reset() {
      script.clear();
      openGates();
      requests.length = 0;
    },
    close,
  };
}

const wires: Record<Protocol, Wire> = { openai: openaiWire, anthropic: anthropicWire };

function protocolOf(incoming: IncomingMessage): Protocol | null {
  if (incoming.method !== 'POST') return null;
  if (incoming.url === '/v1/chat/completions') return 'openai';
  return incoming.url === '/v1/messages' ? 'anthropic' : null;
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function flatHeaders(incoming: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
}
