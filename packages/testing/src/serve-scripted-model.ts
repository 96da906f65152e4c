import { parseArgs } from 'node:util';
import { startScriptedModel } from './scripted-model-server.ts';

/** A scripted model with a working brain as a process of its own, for benchmarks. */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    subtasks: { type: 'string', default: '8' },
    'delay-ms': { type: 'string', default: '0' },
  },
});

const model = await startScriptedModel({ port: Number(values.port), record: false });
model.useWorkingBrain({
  subtasks: Number(values.subtasks),
  delayMs: Number(values['delay-ms']),
});
process.stdout.write(`${JSON.stringify({ url: model.url })}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => model.close().then(() => process.exit(0)));
}
