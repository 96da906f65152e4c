import { expect, it } from 'vitest';
import { parseArguments } from '../parse-arguments.ts';
import { argumentsSchema } from './arguments-schema.ts';

const input = argumentsSchema({
  type: 'object',
  required: ['path'],
  properties: {
    path: { type: 'string', pattern: '^(a+)+$' },
    depth: { type: 'integer' },
    order: { type: 'string', enum: ['up', 'down'] },
    either: { type: ['string', 'null'] },
    ['__proto__']: { type: 'string' },
  },
});
const parse = (args: Record<string, string | number | null>) =>
  parseArguments({ name: 'srv__act', input }, args);

it('passes on what it cannot judge', () => {
  // The pattern would take longer than anybody lives.
  const args = { path: `${'a'.repeat(60)}!`, either: null, more: 1 };
  expect(parse(args)).toEqual({ ok: true, input: args });
});

it.each([
  [{}, '"path"'],
  [{ path: 7 }, '"path"'],
  [{ path: 'a', depth: 'deep' }, '"depth"'],
  [{ path: 'a', order: 'left' }, '"order"'],
])('refuses %j and says what it wants', (args, field) => {
  const outcome = parse(args as Record<string, string>);
  expect(outcome).toMatchObject({ ok: false });
  if (!outcome.ok) {
    expect(outcome.result.text).toContain(`${field}: `);
    expect(outcome.result.text).toContain('{"path": string, "depth"?: number');
  }
});
