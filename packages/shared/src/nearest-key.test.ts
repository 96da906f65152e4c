import { describe, expect, it } from 'vitest';
import { nearestKey } from './nearest-key.ts';

describe('nearestKey', () => {
  it('finds the key that is one letter away', () => {
    expect(nearestKey('prot', ['host', 'port', 'max_body_bytes'])).toEqual({
      key: 'port',
      distance: 2,
    });
  });

  it('ignores case', () => {
    expect(nearestKey('INFO', ['warn', 'info'])).toEqual({ key: 'info', distance: 0 });
  });

  it('has no answer without candidates', () => {
    expect(nearestKey('port', [])).toBeNull();
  });
});
