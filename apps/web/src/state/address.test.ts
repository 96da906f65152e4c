import { describe, expect, it } from 'vitest';
import { readAddress, writeAddress } from './address.ts';

describe('addresses', () => {
  it('come back as they were written, whatever a path holds', () => {
    const file = { task_id: 'task_1', path: 'a b/ü&x=?#%.md' };
    for (const address of [
      { session_id: null, message: null, file: null },
      { session_id: 'ses_1', message: null, file: null },
      { session_id: 'ses_1', message: 12, file: null },
      { session_id: 'ses_1', message: 3, file },
    ]) {
      expect(readAddress(writeAddress(address))).toEqual(address);
    }
  });

  it('leave out what makes no sense', () => {
    const nothing = { session_id: null, message: null, file: null };
    expect(readAddress('')).toEqual(nothing);
    expect(readAddress('#about')).toEqual(nothing);
    expect(readAddress('#ses_1?message=-4&file=a.md')).toEqual({ ...nothing, session_id: 'ses_1' });
    expect(readAddress('#ses_1?message=1.5')).toMatchObject({ message: null });
  });
});
