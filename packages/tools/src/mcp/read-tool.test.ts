import { describe, expect, it } from 'vitest';
import { readTool } from './read-tool.ts';
import { redactSecrets } from './redact-secrets.ts';

const inputSchema = { type: 'object', properties: { a: { type: 'string' } } };
const listed = { name: 'act', description: 'Acts', inputSchema };

function read(tool: unknown) {
  const outcome = readTool('srv', tool, redactSecrets(['hunter22']));
  if ('refused' in outcome) throw new Error(outcome.refused);
  return outcome.tool;
}

describe('readTool', () => {
  it('has one version for one meaning, whatever the order of keys', () => {
    const turned = { inputSchema: { properties: { a: { type: 'string' } }, type: 'object' } };
    expect(read({ ...listed, ...turned }).hash).toBe(read(listed).hash);
  });

  it('has another version for every difference that counts', () => {
    const others = [
      { ...listed, name: 'act2' },
      { ...listed, description: 'Acts ' },
      { ...listed, description: 'Acts\u200b' },
      { ...listed, inputSchema: { ...inputSchema, required: ['a'] } },
      { ...listed, annotations: { readOnlyHint: true } },
    ];
    const hashes = new Set([listed, ...others].map((tool) => read(tool).hash));
    expect(hashes.size).toBe(others.length + 1);
  });

  it('knows a difference beyond what is shown', () => {
    const long = 'x'.repeat(3_000);
    const [one, two] = [
      read({ ...listed, description: `${long}a` }),
      read({ ...listed, description: `${long}b` }),
    ];
    expect(one.description).toBe(two.description);
    expect(one.hash).not.toBe(two.hash);
  });

  it('cuts secrets and hidden text out of descriptions and schemas', () => {
    const tool = read({
      ...listed,
      description: 'key hunter22\u{E0049}\u{E0067}',
      inputSchema: { type: 'object', description: 'hunt\u200ber22' },
    });
    expect(tool.description).toBe('key [redacted]');
    expect(tool.input_schema).toEqual({ type: 'object', description: '[redacted]' });
  });
});
