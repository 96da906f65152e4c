import { type BackendKind, startServers } from './private-servers.ts';
import { startProduct } from './product-process.ts';

/** The built product, ready for conversations. */
export interface Deployment {
  name: string;
  /** Of its gateway. */
  url: string;
  database_url: string;
  stop(): Promise<void>;
}

/** Gateway and runner apart on Redis, or `loom up` on Postgres. */
export async function startDeployment(kind: BackendKind, model_url: string): Promise<Deployment> {
  const { stop, ...servers } = await startServers(kind);
  const { database_url } = servers;
  if (kind === 'postgres') {
    const up = await startProduct('up', { ...servers, model_url });
    return {
      name: '`loom up` on postgres',
      url: up.url,
      database_url,
      stop: async () => {
        await up.stop();
        await stop();
      },
    };
  }
  const gateway = await startProduct('gateway', { ...servers, model_url });
  const runner = await startProduct('runner', { ...servers, model_url });
  return {
    name: 'gateway and runner apart on redis',
    url: gateway.url,
    database_url,
    stop: async () => {
      await Promise.all([gateway.stop(), runner.stop()]);
      await stop();
    },
  };
}
