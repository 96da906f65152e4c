import { AppError, errorMessage } from '@loom/shared/app-error';
import type { ObservedMcpTool } from '@loom/shared/mcp-pins';
import { BrokenCircuitError, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel';
import { abortable } from './abortable.ts';
import { connectServer, type ServerConnection } from './connect-server.ts';
import { mcpLimits } from './limits.ts';
import type { ServerAccess } from './open-transport.ts';

/** How long a unit waits for news of a server whose tools are known already. */
const newsMs = 1_000;
/** After this long a server's tools are asked for again, even if it says nothing. */
const oldAgeMs = 300_000;

export interface HeldConnectionOptions {
  name: string;
  access: ServerAccess;
  /** Hears of every list that differs from the one before, before anybody uses it. */
  onTools(tools: readonly ObservedMcpTool[]): Promise<void>;
}

interface Slot {
  connection: Promise<ServerConnection>;
}

type KnownTools = ReadonlyMap<string, ObservedMcpTool>;

/** The one connection to a server: made when it is first needed, and again after it was lost. */
export interface HeldConnection {
  /** The open connection; throws `unavailable` with the reason. */
  get(): Promise<ServerConnection>;
  /** What the server listed last; null when it was never reached. Waits only for the first connection. */
  tools(): Promise<KnownTools | null>;
  /** The version of a tool that the server has now. */
  hashOf(tool: string): string | undefined;
  /** Asks again for the tools if the server said that they changed, or said nothing for long. */
  refresh(): Promise<void>;
  drop(): void;
  /** Keeps everybody from the server for `breaker_seconds`. */
  leaveAlone(reason: string): void;
  /** Why the server is left alone right now, or null. */
  problem(): string | null;
  close(): Promise<void>;
}

/** A connection that costs a unit one connect timeout at most, and nothing while the server is left alone. */
export function holdConnection({ name, access, onTools }: HeldConnectionOptions): HeldConnection {
  const { config, logger } = access;
  const halfOpenAfter = config.breaker_seconds * 1_000;
  // One failed connection has cost a connect timeout: that is enough for a while.
  const connects = circuitBreaker(handleAll, { halfOpenAfter, breaker: new ConsecutiveBreaker(1) });
  const stop = new AbortController();
  const closing = new Set<Promise<void>>();
  let current: Slot | null = null;
  let known: KnownTools | null = null;
  let listedAt = 0;
  let isStale = false;
  let refreshing: Promise<void> | null = null;
  let failure: { reason: string; until: number } | null = null;

  const leaveAlone = (reason: string): void => {
    failure = { reason, until: Date.now() + halfOpenAfter };
    logger.warn({ reason }, 'MCP server is left alone for a while');
  };

  const problem = (): string | null => {
    if (failure === null || Date.now() >= failure.until) return null;
    const seconds = Math.ceil((failure.until - Date.now()) / 1_000);
    return `the server ${name} does not work: ${failure.reason}; it is tried again in ${seconds} s`;
  };

  const drop = (): void => {
    if (current === null) return;
    const closed = current.connection
      .then(({ client }) => client.close())
      .catch(() => undefined)
      .finally(() => closing.delete(closed));
    closing.add(closed);
    current = null;
  };

  const learn = async (connection: ServerConnection): Promise<void> => {
    isStale = false;
    let found = await connection.listTools();
    // Some servers have more to offer as soon as they know whom they speak with.
    if (isStale && known === null) {
      isStale = false;
      found = await connection.listTools();
    }
    listedAt = Date.now();
    const isSame =
      known?.size === found.size &&
      [...found.values()].every((tool) => known?.get(tool.name)?.hash === tool.hash);
    if (!isSame) await onTools([...found.values()]);
    known = found;
  };

  const open = async (slot: Slot): Promise<ServerConnection> => {
    const connection = await connectServer(name, access, {
      signal: stop.signal,
      onToolsChanged: () => {
        isStale = true;
      },
      onClose: () => {
        if (current === slot) current = null;
      },
    });
    try {
      await learn(connection);
      failure = null;
      return connection;
    } catch (error) {
      await connection.client.close();
      throw error;
    }
  };

  const begin = (): Slot => {
    const slot = {} as Slot;
    slot.connection = connects
      .execute(() => open(slot))
      .catch((error: unknown) => {
        if (current === slot) current = null;
        if (error instanceof BrokenCircuitError) {
          throw new AppError('unavailable', problem() ?? `the server ${name} is being tried again`);
        }
        const reason = errorMessage(error);
        leaveAlone(reason);
        throw new AppError('unavailable', `the server ${name} cannot be reached: ${reason}`);
      });
    return slot;
  };

  const get = async (): Promise<ServerConnection> => {
    if (stop.signal.aborted) throw new AppError('unavailable', 'the process is stopping');
    current ??= begin();
    return current.connection;
  };

  const refresh = async (): Promise<void> => {
    const age = Date.now() - listedAt;
    if (age < mcpLimits.refresh_ms || !(isStale || age > oldAgeMs)) return;
    refreshing ??= get()
      .then(learn)
      .catch((error: unknown) => {
        logger.warn({ reason: errorMessage(error) }, 'MCP tools not refreshed');
        drop();
      })
      .finally(() => {
        refreshing = null;
      });
    await refreshing;
  };

  return {
    get,
    refresh,
    drop,
    leaveAlone,
    problem,
    hashOf: (tool) => known?.get(tool)?.hash,
    async tools() {
      if (known === null && failure === null) await get().catch(() => undefined);
      else if (current === null) get().catch(() => undefined);
      else if (known !== null) {
        await abortable(refresh(), AbortSignal.timeout(newsMs)).catch(() => undefined);
      }
      return known;
    },
    async close() {
      stop.abort();
      drop();
      await Promise.all([...closing, refreshing]);
    },
  };
}
