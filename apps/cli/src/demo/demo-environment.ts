/** The environment of the demo's server: the user's, without anything that could change the demo. */
export function demoEnvironment(
  env: Record<string, string | undefined>,
  own: { data_dir: string; workspace: string; admin_key: string },
): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(
    ([name]) => !name.startsWith('LOOM_') && name !== 'DATABASE_URL' && name !== 'REDIS_URL',
  );
  return {
    ...Object.fromEntries(kept),
    LOOM_PORT: '0',
    LOOM_HOST: '127.0.0.1',
    LOOM_DATA_DIR: own.data_dir,
    LOOM_WORKSPACE_ROOTS: own.workspace,
    LOOM_ADMIN_KEY: own.admin_key,
    LOOM_LOG: 'error',
    // Named, so that a key in the environment does not bring in a paid model.
    LOOM_MODELS__DEMO__PROVIDER: 'demo',
    LOOM_MODELS__DEMO__MODEL: 'demo',
  };
}
