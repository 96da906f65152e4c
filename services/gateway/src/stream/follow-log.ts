import type { LiveMessage, LoggedEvent } from '@loom/shared/events';
import { createAlarm } from './alarm.ts';
import type { BoundedBody } from './bounded-body.ts';
import { eventFrame, heartbeatFrame, liveFrame } from './event-frame.ts';
import { createStitcher } from './stitch-deltas.ts';
import type { StreamHub } from './stream-hub.ts';

/** One log as a stream sees it. */
export interface LogView {
  /** The id under which the bus announces new events. */
  stream_id: string;
  /** The session whose live text belongs in; null: none. */
  live_session_id: string | null;
  read(after: number, limit: number): Promise<LoggedEvent[]>;
  /** Whether an event, or a turn's live text, is for this reader. */
  wants(event: { turn_id?: string; task_id?: string }): Promise<boolean> | boolean;
  /** Whether nothing can follow `seq`, of which `event` is what was sent; null before anything was. */
  isOver(seq: number, event: LoggedEvent | null): Promise<boolean> | boolean;
}

interface Follow {
  hub: StreamHub;
  body: BoundedBody;
  log: LogView;
  after: number;
  now: () => Date;
}

/** Events a read; a long log is sent page by page, as fast as the reader takes it. */
const pageSize = 200;
const heartbeatMs = 15_000;
/** How late a reader is at most when the bus loses a message. */
const pollMs = 5_000;
/** Live pieces kept for a slow reader; beyond it they are dropped and a snapshot is asked for. */
const maxLive = 500;

/** Writes a log from `after` on, and what is added to it, until its end or until the reader leaves. */
export async function followLog({ hub, body, log, after, now }: Follow): Promise<void> {
  const alarm = createAlarm();
  const stitcher = createStitcher();
  let live: LiveMessage[] = [];
  let pending: LiveMessage[] = [];
  // Live text alone is no reason to read the log: a model sends hundreds of pieces a second.
  let mayHaveGrown = true;
  let cursor = after;
  let lastWrite = now().getTime();

  const write = (frame: string) => {
    lastWrite = now().getTime();
    return body.write(frame);
  };
  const wantSnapshot = () => {
    if (log.live_session_id !== null) hub.wantSnapshot(log.live_session_id);
  };
  const writeLive = async (pieces: LiveMessage[]) => {
    let isMissing = false;
    for (const piece of pieces) {
      const { send, snapshot_wanted } = stitcher.push(piece);
      isMissing ||= snapshot_wanted;
      if (send !== null) await write(liveFrame(send, now()));
    }
    if (isMissing) wantSnapshot();
  };
  const takePending = (turnId: string | undefined, call: number): LiveMessage[] => {
    const isOf = (piece: LiveMessage) => piece.turn_id === turnId && piece.call <= call;
    const taken = pending.filter(isOf);
    pending = pending.filter((piece) => !isOf(piece));
    return taken;
  };
  /** Whether the log goes on. */
  const writeLog = async (): Promise<boolean> => {
    for (;;) {
      const events = await log.read(cursor, pageSize);
      for (const event of events) {
        cursor = event.seq;
        if (!(await log.wants(event))) continue;
        const call = event.type === 'message.appended' ? event.data.call : undefined;
        // What is left of a message's live text goes before the message itself.
        if (typeof call === 'number') await writeLive(takePending(event.turn_id, call));
        if (!(await write(eventFrame(event)))) return false;
        if (typeof call === 'number') stitcher.finish(event.turn_id ?? '', call);
        if (await log.isOver(cursor, event)) return false;
      }
      if (events.length < pageSize) return true;
    }
  };

  // Listening begins before the first read, so that nothing falls between the two.
  const stopListening = hub.listen(log.stream_id, {
    on_events: () => {
      mayHaveGrown = true;
      alarm.ring();
    },
    on_live: (message) => {
      if (log.live_session_id === null) return;
      if (live.length >= maxLive) live = [];
      live.push(message);
      alarm.ring();
    },
  });
  void body.when_closed.then(alarm.ring);
  try {
    wantSnapshot();
    if (await log.isOver(cursor, null)) return;
    while (!body.is_closed) {
      for (const piece of live.splice(0)) if (await log.wants(piece)) pending.push(piece);
      // A call begins after the message of the one before stands in the log: keep that order.
      if (mayHaveGrown || pending.some((piece) => stitcher.opensCall(piece))) {
        mayHaveGrown = false;
        if (!(await writeLog())) return;
      }
      await writeLive(pending.splice(0));
      const idle = now().getTime() - lastWrite;
      if (idle >= heartbeatMs) await write(heartbeatFrame);
      else if (!(await alarm.wait(Math.min(pollMs, heartbeatMs - idle)))) mayHaveGrown = true;
    }
  } finally {
    stopListening();
  }
}
