import { resolve } from 'node:path';
import { type FaultPoint, faultPoints } from './fault-point.ts';

/** What variables alone say: connections, places on disk, logging, test faults. */
export interface ProcessSettings {
  /** Null: the embedded Postgres under `data_dir`. */
  database_url: string | null;
  /** Null: queues and wake-ups on Postgres. */
  redis_url: string | null;
  data_dir: string;
  /** Null: one is minted on first start. */
  admin_key: string | null;
  /** Absolute directories in which workspaces may lie. */
  workspace_roots: string[];
  log_level: string;
  /** Null: workers open no port. */
  health_port: number | null;
  fault: { point: FaultPoint; hit: number } | null;
}

/** Flags that are not keys of the file. */
export const settingFlags: readonly string[] = ['config', 'data_dir', 'log_level'];

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

interface Source {
  env: Record<string, string | undefined>;
  flags: Record<string, unknown>;
  problems: string[];
}

/** Reads them all; what is wrong is added to `problems`, never with the value, which may be secret. */
export function readProcessSettings(source: Source): ProcessSettings {
  const text = (variable: string) => source.env[variable]?.trim() || null;
  const roots = (text('LOOM_WORKSPACE_ROOTS') ?? '.').split(':').filter((root) => root !== '');
  return {
    database_url: readUrl(source, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    redis_url: readUrl(source, 'REDIS_URL', ['redis:', 'rediss:']),
    data_dir: resolve(String(source.flags.data_dir ?? text('LOOM_DATA_DIR') ?? '.loom')),
    admin_key: readAdminKey(source, text('LOOM_ADMIN_KEY')),
    workspace_roots: roots.map((root) => resolve(root)),
    log_level: readLogLevel(source, text('LOOM_LOG')),
    health_port: readPort(source, text('LOOM_HEALTH_PORT')),
    fault: readFault(source, text('LOOM_FAULT')),
  };
}

function readUrl({ env, problems }: Source, variable: string, protocols: string[]): string | null {
  const value = env[variable]?.trim();
  if (!value) return null;
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
    problems.push(`${variable}: must be a URL that begins with ${protocols[0]}//`);
  }
  return value;
}

function readAdminKey({ problems }: Source, value: string | null): string | null {
  if (value !== null && !/^[\x21-\x7e]+$/.test(value)) {
    problems.push('LOOM_ADMIN_KEY: must be printable ASCII without spaces, to fit in a header');
  }
  return value;
}

function readLogLevel({ flags, problems }: Source, value: string | null): string {
  const source = flags.log_level === undefined ? 'LOOM_LOG' : '--log';
  const level = String(flags.log_level ?? value ?? 'info');
  if (logLevels.includes(level)) return level;
  problems.push(`${source}: must be one of ${logLevels.join(', ')}`);
  return level;
}

function readPort({ problems }: Source, value: string | null): number | null {
  if (value === null) return null;
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) {
    problems.push('LOOM_HEALTH_PORT: must be a port, 0 to 65535');
    return null;
  }
  return Number(value);
}

function readFault({ problems }: Source, value: string | null): ProcessSettings['fault'] {
  if (value === null) return null;
  const [name, hit = ''] = value.split(':');
  const point = faultPoints.find((candidate) => candidate === name);
  if (point !== undefined && /^[1-9]\d{0,8}$/.test(hit)) return { point, hit: Number(hit) };
  problems.push(`LOOM_FAULT: must be point:hit, with a point of ${faultPoints.join(', ')}`);
  return null;
}
