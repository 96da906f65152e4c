/** Where half of something is known: of a character, of a cursor, of an event. */
const aims = {
  anywhere: null,
  character: /[\xc2-\xf4]/g,
  cursor: /^id: \d/gm,
  event: /^data: [^\n]*\n/gm,
} as const;

/** Cuts a stream at the first place of its kind that lies behind so many bytes. */
export interface Cut {
  after: number;
  at: keyof typeof aims;
}

/** The kinds of places at which a stream can be cut. */
export const cutPlaces = Object.keys(aims) as Cut['at'][];

/** Lets bytes pass up to the cut, then breaks off the connection that they come from. */
export function cutBytes(cut: Cut, onCut: () => void): TransformStream<Uint8Array, Uint8Array> {
  // One character a byte, so that places in the text are places in the bytes.
  let seen = '';
  return new TransformStream({
    transform(chunk, controller) {
      const start = seen.length;
      seen += Buffer.from(chunk).toString('latin1');
      const end = endOf(cut, seen);
      if (end === null) return controller.enqueue(chunk);
      controller.enqueue(chunk.subarray(0, end - start));
      onCut();
      controller.terminate();
    },
  });
}

function endOf({ after, at }: Cut, seen: string): number | null {
  const aim = aims[at];
  if (aim === null) return seen.length >= after ? after : null;
  const place = new RegExp(aim);
  place.lastIndex = after;
  return place.test(seen) ? place.lastIndex : null;
}
