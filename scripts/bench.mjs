import { setUp } from './setup.mjs';

await setUp();
// Below the repository, where the bundle finds what npm installed.
const { bundle } = await import('./bundle.mjs');
await bundle('bench/main.ts', 'bench/dist');
await import('../bench/dist/main.js');
