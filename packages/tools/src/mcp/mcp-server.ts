import { AppError } from '@loom/shared/app-error';
import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import { BrokenCircuitError, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel';
import { abortable } from './abortable.ts';
import { callFailure, isForgotten, isServerFailure } from './call-failure.ts';
import {
  type HeldConnection,
  type HeldConnectionOptions,
  holdConnection,
} from './held-connection.ts';
import { progressText } from './progress-text.ts';
import type { Redact } from './redact-secrets.ts';

interface McpCall {
  tool: string;
  /** The version that was approved; any other is not called. */
  hash: string;
  arguments: Record<string, unknown>;
  signal: AbortSignal;
  /** Hears what the server says of the call while it runs. */
  onProgress(text: string): void;
}

/** One server for one set of credentials. */
export interface McpServer extends Pick<HeldConnection, 'tools' | 'problem' | 'close'> {
  /** Throws an `AppError` for everything but an answer of the tool. */
  call(call: McpCall): Promise<{ result: CallToolResult; redact: Redact }>;
}

/** A server whose calls end in time, and which is left alone after too many failures in a row. */
export function createMcpServer(options: HeldConnectionOptions): McpServer {
  const { name, access } = options;
  const { breaker_failures, breaker_seconds, call_timeout_seconds } = access.config;
  const held = holdConnection(options);
  const calls = circuitBreaker(handleWhen(isServerFailure), {
    halfOpenAfter: breaker_seconds * 1_000,
    breaker: new ConsecutiveBreaker(breaker_failures),
  });
  calls.onBreak(() => {
    held.leaveAlone(`it failed ${breaker_failures} times in a row`);
    held.drop();
  });

  const callOnce = async (call: McpCall, isRetry = false) => {
    await held.get();
    await held.refresh();
    const { client, redact } = await held.get();
    const { tool, signal } = call;
    if (held.hashOf(tool) !== call.hash) {
      throw new AppError('forbidden', `it is no longer what was approved; list the tools again`);
    }
    try {
      const onprogress = (progress: Progress) => call.onProgress(redact(progressText(progress)));
      const limits = { signal, onprogress, timeout: call_timeout_seconds * 1_000 };
      const result = await client.callTool({ name: tool, arguments: call.arguments }, limits);
      return { result, redact };
    } catch (error) {
      if (isForgotten(error) && !isRetry) {
        held.drop();
        return callOnce(call, true);
      }
      const failure = { server: name, redact, timeout_seconds: call_timeout_seconds, signal };
      const told = callFailure(error, failure);
      if (told.code === 'unavailable') held.drop();
      throw told;
    }
  };

  return {
    tools: held.tools,
    problem: held.problem,
    close: held.close,
    async call(call) {
      const problem = held.problem();
      if (problem !== null) throw new AppError('unavailable', problem);
      try {
        return await abortable(
          calls.execute(() => callOnce(call)),
          call.signal,
        );
      } catch (error) {
        if (call.signal.aborted) throw new AppError('cancelled', 'the call was cancelled');
        if (!(error instanceof BrokenCircuitError)) throw error;
        throw new AppError('unavailable', `the server ${name} is being tried again; try later`);
      }
    },
  };
}
