import { describe, expect, it } from 'vitest';
import { fileContent, signature } from './file-content.ts';

describe('fileContent', () => {
  it('writes a haiku of three lines on its topic', () => {
    const text = fileContent('rain.md', 'a haiku about rain');
    const poem = text.split('\n\n')[1]?.split('\n') ?? [];
    expect(poem).toHaveLength(3);
    expect(poem[0]).toContain('rain');
    expect(text).toContain(signature);
  });

  it('writes a limerick of five lines on its topic', () => {
    const poem = fileContent('tea.md', 'a limerick about tea').split('\n\n')[1]?.split('\n') ?? [];
    expect(poem).toHaveLength(5);
    expect(poem[0]).toContain('tea');
  });

  it('writes lists as lists', () => {
    expect(fileContent('x.md', 'a list of clouds')).toContain('- First point on clouds');
  });

  it.each(['json', 'yaml'])('writes valid %s', (extension) => {
    const subject = 'a "quoted" table\nof cats';
    expect(JSON.parse(fileContent(`x.${extension}`, subject))).toMatchObject({ item: subject });
  });

  it('writes CSV with a constant number of columns', () => {
    const lines = fileContent('x.csv', 'cats, "dogs"').trim().split('\n');
    expect(lines).toEqual(['item,note', `"cats, ""dogs""","${signature}"`]);
  });

  it('escapes markup', () => {
    expect(fileContent('x.html', '<b>')).toContain('<h1>&lt;b&gt;</h1>');
  });

  it('is deterministic', () => {
    expect(fileContent('x.py', 'a script')).toBe(`# a script\n# ${signature}\n`);
  });
});
