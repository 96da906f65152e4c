import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServiceRole } from '@loom/shared/queues';
import { type LoomProcess, startService } from '@loom/testing/processes';
import { writeToml } from '@loom/testing/write-toml';

/** As seen from `bench/dist`, where this runs. */
const program = fileURLToPath(new URL('../../apps/cli/dist/cli.js', import.meta.url));

export const adminKey = 'loom_bench_key';

interface ProductOptions {
  database_url?: string;
  redis_url?: string | null;
  /** Where its model answers. */
  model_url: string;
}

/** Starts `loom up` or `loom serve <role>` as the built product starts it, and waits until it is ready. */
export function startProduct(
  name: ServiceRole | 'up',
  { database_url, redis_url, model_url }: ProductOptions,
): Promise<LoomProcess> {
  if (!existsSync(program)) throw new Error('the product is not built: run `npm run build`');
  return startService(name, {
    program,
    config: writeToml({
      memory: { extraction_enabled: false },
      'models.bench': { provider: 'openai-compatible', base_url: model_url, model: 'bench' },
    }),
    env: {
      NODE_ENV: 'production',
      LOOM_ADMIN_KEY: adminKey,
      ...(database_url === undefined ? {} : { DATABASE_URL: database_url }),
      ...(redis_url ? { REDIS_URL: redis_url } : {}),
    },
  });
}
