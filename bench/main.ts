import { runBench } from './run-bench.ts';
import { serveAsWorker, workerArgument } from './worker-process.ts';

const args = process.argv.slice(2);
await (args[0] === workerArgument ? serveAsWorker() : runBench(args));
