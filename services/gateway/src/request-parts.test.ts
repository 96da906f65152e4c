import { expect, it } from 'vitest';
import { allowedMethods } from './allowed-methods.ts';
import { canonicalJson } from './idempotency.ts';
import { decodeOffset, encodeOffset } from './offset-cursor.ts';
import { depthOf, findUnstorable } from './read-json-body.ts';

it('hashes equal JSON alike, however it is spelled', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined })).toBe(
    '{"b":[1,{"c":"x","d":null}]}',
  );
  expect(canonicalJson({ a: 1, b: 2 })).not.toBe(canonicalJson({ a: 2, b: 1 }));
});

it('counts nesting outside of strings', () => {
  expect(depthOf('{"a":[1,{"b":"[[[["}]}')).toBe(3);
  expect(depthOf('"\\"[["')).toBe(0);
  expect(depthOf('['.repeat(100_000))).toBe(100_000);
});

it('finds text that cannot be stored, in keys too', () => {
  expect(findUnstorable({ a: ['x', { b: 'y\u0000' }] }, [])).toBe('a.1.b');
  expect(findUnstorable({ a: { '\ud800': 1 } }, [])).toBe('a');
  expect(findUnstorable({ a: ['\u{1F600}', null, 1] }, [])).toBeNull();
});

it('knows which methods a path has', () => {
  const routes = [
    { method: 'ALL', path: '/*' },
    { method: 'GET', path: '/api/tasks/:id' },
    { method: 'DELETE', path: '/api/tasks/:id' },
  ];
  expect(allowedMethods(routes, '/api/tasks/x')).toEqual(['DELETE', 'GET', 'HEAD']);
  expect(allowedMethods(routes, '/api/tasks/x/y')).toEqual([]);
});

it('reads its own offsets and no others', () => {
  expect(decodeOffset(encodeOffset(150))).toBe(150);
  expect(decodeOffset(undefined)).toBe(0);
  for (const bad of ['x', '', encodeOffset(-1), encodeOffset(1.5)]) {
    expect(() => decodeOffset(bad)).toThrow('cursor');
  }
});
