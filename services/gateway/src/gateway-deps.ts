import type { HttpBindings } from '@hono/node-server';
import type { Database } from '@loom/db/database';
import type { Identity } from '@loom/db/read/api-keys';
import type { ModelInfo } from '@loom/shared/chat';
import type { Intake } from '@loom/shared/intake';
import type { Logger } from '@loom/shared/logger';
import type { McpCatalog } from '@loom/shared/mcp-catalog';
import type { QueueAdmin } from '@loom/shared/queue-admin';
import type { ToolInfo } from '@loom/shared/tool';
import type { WakeBus } from '@loom/shared/wake';

export interface GatewayConfig {
  max_body_bytes: number;
  rate_limit_per_minute: number;
  /** Absolute directories in which workspaces may lie; relative ones start in the first. */
  workspace_roots: string[];
  /** Where sessions and tasks that name no workspace get one of their own; a root as well. */
  default_workspace: string;
  /** MCP servers whose known tools are listed. */
  mcp?: McpCatalog;
  /** Whether a callback may go to an address of a private network. */
  allow_private_callbacks: boolean;
}

/** Everything the gateway needs from the rest of the product. */
export interface GatewayDeps {
  db: Database;
  intake: Intake;
  queueAdmin: QueueAdmin;
  bus: WakeBus;
  tools: ToolInfo[];
  models: ModelInfo[];
  /** What workers in the same process count, as Prometheus reads it. */
  workerMetrics?: () => Promise<string>;
  config: GatewayConfig;
  /** The built page's directory; null when it was not built. */
  webRoot: string | null;
  logger: Logger;
  isReady(): Promise<{ ok: boolean; checks: Record<string, string> }>;
  version: string;
  now?: () => Date;
}

/** What Hono knows of a request besides the request. */
export interface GatewayEnv {
  Bindings: Partial<HttpBindings>;
  Variables: { request_id: string; identity: Identity; max_body_bytes: number };
}
