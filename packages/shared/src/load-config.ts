import { AppError } from './app-error.ts';
import { type Config, configSchema } from './config.ts';
import {
  type ConfigDraft,
  override,
  overrideFromEnvironment,
  overrideFromText,
} from './config-overrides.ts';
import { describeConfigIssues } from './config-problems.ts';
import { schemaAt } from './config-schema-walk.ts';
import { type ProcessSettings, readProcessSettings, settingFlags } from './process-settings.ts';
import { readConfigFile } from './read-config-file.ts';

/** All that a process is told from outside: the file's sections and what only variables say. */
export interface Settings extends ProcessSettings {
  config: Config;
  host: string;
  port: number;
}

export interface ConfigSources {
  env: Record<string, string | undefined>;
  /** Dotted keys of the file (`server.port`), or `config`, `data_dir`, `log_level`. */
  flags?: Record<string, unknown>;
  /** The file's text, or null when there is no such file. */
  readFile(path: string): string | null;
}

/**
 * Flag over environment over file over default. Throws `invalid_config` with every problem at once
 * in `details.problems`, each beginning with its key or variable.
 */
export function loadConfig({ env, flags = {}, readFile }: ConfigSources): Settings {
  const given = definedOnly(flags);
  const named = given.config ?? (env.LOOM_CONFIG?.trim() || undefined);
  const file = readConfigFile(String(named ?? './loom.toml'), {
    required: named !== undefined,
    named_by: given.config === undefined ? 'LOOM_CONFIG' : '--config',
    readFile,
  });
  const draft: ConfigDraft = {
    schema: configSchema,
    values: file.values ?? {},
    sources: new Map(),
    problems: file.problem === null ? [] : [file.problem],
  };

  overrideFromEnvironment(draft, env);
  for (const key of ['host', 'port']) {
    const variable = `LOOM_${key.toUpperCase()}`;
    const text = env[variable]?.trim();
    if (text) overrideFromText(draft, variable, ['server', key], text);
  }
  overrideFromFlags(draft, given);
  const settings = readProcessSettings({ env, flags: given, problems: draft.problems });

  const parsed = configSchema.safeParse(draft.values);
  if (!parsed.success) {
    const problems = describeConfigIssues(
      configSchema,
      // Without the file, what it would have said is not missing: only variables can be wrong.
      parsed.error.issues.filter(
        (issue) => file.values !== null || sourceOf(draft, issue.path.join('.')) !== null,
      ),
      (path) => sourceOf(draft, path),
    );
    draft.problems.push(...problems);
  }
  if (!parsed.success || draft.problems.length > 0) throw invalidConfig(draft.problems);
  const { host, port } = parsed.data.server;
  return { config: parsed.data, host, port, ...settings };
}

function overrideFromFlags(draft: ConfigDraft, flags: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(flags)) {
    if (settingFlags.includes(key)) continue;
    const path = key.split('.');
    const source = `--${path.at(-1)}`;
    if (typeof value === 'string' || schemaAt(draft.schema, path) === null) {
      overrideFromText(draft, source, path, String(value));
    } else {
      override(draft, source, path, value);
    }
  }
}

function sourceOf(draft: ConfigDraft, path: string): string | null {
  for (const [key, source] of draft.sources) {
    if (path === key || path.startsWith(`${key}.`)) return source;
  }
  return null;
}

function definedOnly(flags: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

function invalidConfig(problems: string[]): AppError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new AppError(
    'invalid_config',
    [`The configuration has ${count}:`, ...problems.map((problem) => `  ${problem}`)].join('\n'),
    { details: { problems } },
  );
}
