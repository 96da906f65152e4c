import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRunTool, targetCall } from './read-run-tool.ts';

describe('run_tool', () => {
  test.each([
    [{ name: 'read_file', arguments: { path: 'a' } }, { path: 'a' }],
    [{ name: ' read_file ', arguments: '{"path": "a"}' }, { path: 'a' }],
    [{ name: 'read_file', arguments: '' }, {}],
    [{ name: 'read_file', arguments: null }, {}],
    [{ name: 'read_file' }, {}],
  ])('%j stands for its target', (input, args) => {
    expect(readRunTool(input)).toEqual({ name: 'read_file', arguments: args });
    const call = { id: 'c1', name: 'run_tool', arguments: input };
    expect(targetCall(call)).toEqual({ id: 'c1', name: 'read_file', arguments: args });
  });

  test.each([
    [{ name: 'run_tool', arguments: { name: 'read_file', arguments: {} } }, 'cannot run itself'],
    [{ name: ' run_tool\n', arguments: {} }, 'cannot run itself'],
    [{ name: 'read_file', path: 'a' }, 'put "path" into "arguments"'],
    [{ name: '', arguments: {} }, '"name" must be the name of a tool'],
    [{ name: 7, arguments: {} }, '"name" must be the name of a tool'],
    [{ arguments: {} }, '"name" must be the name of a tool'],
    [{ name: 'read_file', arguments: [] }, '"arguments" must be a JSON object'],
    [{ name: 'read_file', arguments: '[1]' }, '"arguments" must be a JSON object'],
    [{ name: 'read_file', arguments: '{oops' }, '"arguments" must be a JSON object'],
    ['read_file', 'give an object'],
    [null, 'give an object'],
  ])('%j is not exchanged', (input, words) => {
    expect(readRunTool(input)).toMatchObject({ problem: expect.stringContaining(words) });
    const call = { id: 'c1', name: 'run_tool', arguments: input };
    expect(targetCall(call)).toBe(call);
  });
});

test('whatever a model sends, the target is never run_tool itself under another id', () => {
  const value = fc.oneof(fc.constantFrom('run_tool', ' run_tool', 'read_file'), fc.jsonValue());
  const input = fc.oneof(fc.record({ name: value, arguments: value }), fc.jsonValue());
  fc.assert(
    fc.property(input, (args) => {
      const call = { id: 'c1', name: 'run_tool', arguments: args as never };
      const target = targetCall(call);
      expect(target.id).toBe('c1');
      if (target !== call) expect(target.name).not.toBe('run_tool');
    }),
  );
});
