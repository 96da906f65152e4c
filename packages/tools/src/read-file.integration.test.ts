import { mkdir, realpath, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonValue } from '@loom/shared/json';
import { describe, expect, it } from 'vitest';
import { zipOf } from './documents/test-archive.ts';
import { pdfOf } from './documents/test-pdf.ts';
import { fileToolRegistry } from './test-file-tools.ts';
import { contextIn, temporaryDirectory } from './test-workspace.ts';

const registry = fileToolRegistry();

async function scene(files: Record<string, string | Buffer> = {}) {
  const workspace = await temporaryDirectory();
  for (const [path, content] of Object.entries(files)) {
    await writeFile(join(workspace, path), content);
  }
  const read = async (args: JsonValue) => registry.run('read_file', args, contextIn(workspace));
  return { workspace, read };
}

// One pixel by one pixel, as small as the format allows.
const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');

function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(33);
  header.write('\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR', 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return header;
}

describe('documents', () => {
  it('are read as text, and lines of it can be chosen', async () => {
    const body = ['one', 'two', 'three'].map((text) => `<w:p><w:t>${text}</w:t></w:p>`).join('');
    const { read } = await scene({
      'a.docx': zipOf({ 'word/document.xml': body }),
      'a.pdf': pdfOf(['Hello', 'World']),
    });
    expect(await read({ path: 'a.docx' })).toEqual({ ok: true, text: 'one\ntwo\nthree' });
    expect(await read({ path: 'a.docx', line_start: 2, line_end: 2 })).toMatchObject({
      text: 'two\n[lines 2-2 of 3]',
    });
    expect(await read({ path: 'a.pdf', line_start: 3 })).toMatchObject({
      text: '--- Page 2 ---\nWorld\n[lines 3-4 of 4]',
    });
  });

  it('that are broken are one sentence', async () => {
    const { read } = await scene({ 'a.xlsx': Buffer.from('PK\x03\x04 and no more') });
    const result = await read({ path: 'a.xlsx' });
    expect(result).toMatchObject({ ok: false, error_code: 'failed' });
    expect(result.text).toMatch(/^read_file: a\.xlsx cannot be read as a workbook \(.+\); [^\n]+$/);
  });
});

describe('what has no text', () => {
  it('is described: images with their measures, others by kind and size', async () => {
    const { read } = await scene({
      'a.gif': gif,
      'photo.png': png(640, 480),
      'a.zip': zipOf({ a: 'a' }),
      blob: Buffer.from([1, 0, 2, 3]),
    });
    expect((await read({ path: 'a.gif' })).text).toBe(
      `[a.gif is an image: GIF, 1 × 1 pixels, ${gif.length} bytes]`,
    );
    expect((await read({ path: 'photo.png' })).text).toBe(
      '[photo.png is an image: PNG, 640 × 480 pixels, 33 bytes]',
    );
    expect((await read({ path: 'a.zip' })).text).toMatch(
      /^\[a\.zip is a zip file \(application\/zip\) of \d+ bytes/,
    );
    expect(await read({ path: 'blob' })).toEqual({
      ok: true,
      text: '[blob is of an unknown binary kind of 4 bytes, so it has no text to show]',
    });
  });

  it('is not read whole, however large it is', async () => {
    const { read, workspace } = await scene({ 'huge.png': png(9, 7), 'huge.txt': 'x' });
    await truncate(join(workspace, 'huge.png'), 3 * 1024 ** 3);
    expect((await read({ path: 'huge.png' })).text).toBe(
      '[huge.png is an image: PNG, 9 × 7 pixels, 3221225472 bytes]',
    );
    await writeFile(join(workspace, 'huge.txt'), 'x'.repeat(10 * 1024 * 1024 + 1));
    const text = await read({ path: 'huge.txt' });
    expect(text).toMatchObject({ ok: false });
    expect(text.text).toContain('use search_files to find the part you need');
  });
});

describe('read roots', () => {
  async function withRoot() {
    const { workspace } = await scene({ 'mine.txt': 'needle mine\n' });
    const base = await realpath(await temporaryDirectory());
    const root = join(base, 'library');
    await mkdir(join(root, 'sub'), { recursive: true });
    await writeFile(join(root, 'sub/a.txt'), 'needle library\n');
    await writeFile(join(base, 'secret.txt'), 'needle canary\n');
    await symlink(join(base, 'secret.txt'), join(root, 'link'));
    const context = contextIn(workspace, { read_roots: [root] });
    const call = (name: string, args: JsonValue) => registry.run(name, args, context);
    return { base, root, workspace, context, call };
  }

  it('are read by their absolute path', async () => {
    const { root, call } = await withRoot();
    const file = join(root, 'sub/a.txt');
    expect((await call('read_file', { path: file })).text).toBe('needle library\n');
    expect((await call('list_directory', { path: root })).text).toBe('link (symbolic link)\nsub/');
    const found = await call('search_files', { pattern: 'needle', path: root });
    expect(found.text).toBe(`${file}:1:needle library`);
    expect((await call('glob_find', { pattern: 'sub/*', path: root })).text).toBe(file);
    expect((await call('search_files', { pattern: 'needle' })).text).toBe('mine.txt:1:needle mine');
  });

  it('lead nowhere else', async () => {
    const { base, root, call } = await withRoot();
    const paths = [join(root, 'link'), join(root, '../secret.txt'), join(base, 'secret.txt')];
    for (const path of [...paths, base, `${root}-2`]) {
      for (const [name, args] of [
        ['read_file', { path }],
        ['list_directory', { path }],
        ['search_files', { path, pattern: 'needle' }],
        ['glob_find', { path, pattern: '*' }],
      ] as const) {
        const result = await call(name, args);
        expect(result.ok, `${name} ${path}`).toBe(false);
        expect(result.text).not.toContain('canary');
      }
    }
    const refused = await call('read_file', { path: join(base, 'secret.txt') });
    expect(refused.text).toContain(`or an absolute path inside ${root}`);
  });

  it('are never changed', async () => {
    const { root, call, context } = await withRoot();
    const path = join(root, 'sub/a.txt');
    for (const [name, args] of [
      ['write_file', { path, content: 'x' }],
      ['edit_file', { path, old_str: 'needle', new_str: 'x' }],
      ['delete_file', { path }],
      ['move_file', { source: path, destination: 'here.txt' }],
      ['move_file', { source: 'mine.txt', destination: join(root, 'new.txt') }],
    ] as const) {
      const result = await call(name, args);
      expect(result.text).toContain('lies outside the workspace');
    }
    expect(context.kept).toEqual([]);
    expect((await call('read_file', { path })).text).toBe('needle library\n');
  });
});
