import { toStorableText } from '@loom/shared/text';

const endsInHalfPair = /[\uD800-\uDBFF]$/;

/**
 * Passes on storable pieces of text whose concatenation is the storable whole:
 * half a surrogate pair waits for its other half. Call `end` after the last piece.
 */
export function createDeltaCleaner(emit: (text: string) => void) {
  let held = '';
  const pass = (text: string) => {
    if (text !== '') emit(toStorableText(text));
  };
  return {
    push(piece: string): void {
      const text = held + piece;
      held = endsInHalfPair.test(text) ? text.slice(-1) : '';
      pass(held === '' ? text : text.slice(0, -1));
    },
    end(): void {
      pass(held);
      held = '';
    },
  };
}
