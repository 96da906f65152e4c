import { describe, expect, it } from 'vitest';
import { splitConfinedPath } from './confined-path.ts';

describe('splitConfinedPath', () => {
  it.each([
    ['a/b.txt', ['a', 'b.txt']],
    ['./a//b/', ['a', 'b']],
    ['a/../b', ['b']],
    ['.', []],
    ['/srv/work', []],
    ['/srv/work/a', ['a']],
    ['..a/...', ['..a', '...']],
  ])('%s lies inside', (path, components) => {
    expect(splitConfinedPath('/srv/work', path)).toEqual(components);
  });

  it.each(['..', '../x', 'a/../../x', '/etc/passwd', '/srv/workshop', '/srv/work/../x', '/'])(
    '%s lies outside',
    (path) => {
      expect(() => splitConfinedPath('/srv/work', path)).toThrow(/outside the workspace/);
    },
  );

  it('refuses NUL', () => {
    expect(() => splitConfinedPath('/srv/work', 'a\u0000b')).toThrow(/NUL/);
  });
});
