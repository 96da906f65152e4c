/** What the harness takes from the environment. */
export function testEnv(env: NodeJS.ProcessEnv = process.env) {
  return {
    path: env.PATH ?? '',
    home: env.HOME ?? '',
    /** A Postgres server whose user may create databases; unset: the embedded one. */
    postgres_url: env.LOOM_TEST_DATABASE_URL || null,
    /** A Redis that may be used under random prefixes; unset: a private one. */
    redis_url: env.REDIS_URL || null,
    /** Whether the pictures of the documentation are to be taken anew. */
    update_screenshots: env.LOOM_UPDATE_SCREENSHOTS === '1',
  };
}
