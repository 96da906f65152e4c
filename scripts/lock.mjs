import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Runs `fn` while no other process runs one under the same lock file; a dead holder's is taken over. */
export async function withLock(file, fn) {
  mkdirSync(dirname(file), { recursive: true });
  let told = false;
  while (!take(file)) {
    const holder = Number(readOr(file, '0'));
    if (holder !== 0 && !isAlive(holder)) {
      rmSync(file, { force: true });
      continue;
    }
    if (!told) process.stderr.write(`Waiting for process ${holder}, which sets up this clone …\n`);
    told = true;
    await delay(200);
  }
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await fn();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function readOr(file, fallback) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return fallback;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
