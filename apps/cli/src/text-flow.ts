/** A piece of text a model is writing: which call of the turn, and where in its text. */
export interface TextPiece {
  call: number;
  offset: number;
  text: string;
}

/** Turns overlapping, late and repeated pieces into text that is written once. */
export interface TextFlow {
  /** What a live piece adds to what was already written. */
  piece(piece: TextPiece): string;
  /** What the stored message adds; after it the call is over. */
  message(content: string): string;
}

/** One flow a turn: calls are counted within it. */
export function createTextFlow(): TextFlow {
  let call = -1;
  let written = '';
  /** The last stored message whose pieces were never seen: they may still arrive. */
  let unheard: string | null = null;

  return {
    piece(piece) {
      if (piece.call < call) return '';
      if (unheard?.startsWith(piece.text, piece.offset)) {
        call = piece.call + 1;
        unheard = null;
        return '';
      }
      if (piece.call > call) {
        const abandoned = written !== '';
        call = piece.call;
        written = '';
        unheard = null;
        // A gap at the start cannot be shown; the stored message will bring the whole text.
        if (piece.offset > 0) return '';
        written = piece.text;
        return abandoned ? `\n${piece.text}` : piece.text;
      }
      if (piece.offset > written.length) return '';
      const added = piece.text.slice(written.length - piece.offset);
      written += added;
      return added;
    },
    message(content) {
      const added = content.startsWith(written) ? content.slice(written.length) : `\n${content}`;
      unheard = written === '' ? content : null;
      if (written !== '') call += 1;
      written = '';
      return added;
    },
  };
}
