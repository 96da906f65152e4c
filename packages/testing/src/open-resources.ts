// Sockets are not watched: the built-in fetch keeps idle ones on purpose.
const watched = ['TCPServerWrap', 'PipeServerWrap', 'ProcessWrap', 'FSEventWrap', 'UDPWrap'];

/** How many servers, child processes and watchers of each kind keep this process alive. */
export function openResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) {
    if (watched.includes(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** What is open now beyond what was open before, in words. */
export function leakedSince(before: ReadonlyMap<string, number>): string[] {
  return [...openResources()]
    .map(([name, count]) => ({ name, extra: count - (before.get(name) ?? 0) }))
    .filter(({ extra }) => extra > 0)
    .map(({ name, extra }) => `${extra} ${name} left open`);
}
