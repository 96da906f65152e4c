import { describe, expect, it } from 'vitest';
import { mcpToolName } from './mcp-catalog.ts';
import { mcpServerNameSchema, mcpServerSchema } from './mcp-config.ts';

describe('the name of a server', () => {
  it.each(['a', 'git-hub', 'my_server', 'S3', 'a'.repeat(31)])('may be %s', (name) => {
    expect(mcpServerNameSchema.safeParse(name).success).toBe(true);
  });

  // With "a_" beside "a", a___b would be a tool of both.
  it.each(['', '_a', 'a_', 'a__b', 'a b', 'a.b', 'a'.repeat(32)])('may not be "%s"', (name) => {
    expect(mcpServerNameSchema.safeParse(name).success).toBe(false);
  });

  it('is joined with a tool’s only if models can call the result', () => {
    expect(mcpToolName('a', 'b-c_D')).toBe('a__b-c_D');
    for (const tool of ['', 'b.c', 'b/c', 'ü', 'x'.repeat(62)]) {
      expect(mcpToolName('a', tool)).toBeNull();
    }
  });
});

describe('a server', () => {
  it('is a program or a URL, and never both', () => {
    const parse = (server: object) => mcpServerSchema.safeParse(server).success;
    expect(parse({ command: 'node' })).toBe(true);
    expect(parse({ url: 'https://example.com/mcp' })).toBe(true);
    expect(parse({})).toBe(false);
    expect(parse({ command: 'node', url: 'https://example.com/mcp' })).toBe(false);
    expect(parse({ url: 'file:///etc/passwd' })).toBe(false);
  });

  it('is not trusted unless somebody says so', () => {
    expect(mcpServerSchema.parse({ command: 'node' }).trust_annotations).toBe(false);
  });
});
