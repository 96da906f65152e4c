import { startEmbeddedPostgres } from '../embedded-postgres.ts';

// A process that a test can kill: starts the server of the given directory and prints its address.
const server = await startEmbeddedPostgres({ data_dir: process.argv[2] ?? '' });
console.log(server.url);
setInterval(() => {}, 60_000);
