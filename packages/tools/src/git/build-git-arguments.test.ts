import { describe, expect, it } from 'vitest';
import { buildGitArguments } from './build-git-arguments.ts';
import { gitSubcommands } from './git-subcommands.ts';

const build = (...given: string[]) => buildGitArguments(given).args;

describe('buildGitArguments', () => {
  it('passes listed options on and puts paths behind two dashes', () => {
    expect(build('add', '-A', 'a.txt')).toEqual(['add', '-A', '--', 'a.txt']);
    expect(build('git', 'rm', '-r', 'dir', '--', '-odd')).toEqual([
      'rm',
      '-r',
      '--',
      'dir',
      '-odd',
    ]);
    expect(build('commit', '-am', 'one')).toEqual([
      ...['commit', '--no-gpg-sign', '--no-status', '-a', '-mone'],
    ]);
    expect(build('rev-list', '-3', '--max-count', '2', 'HEAD')).toEqual([
      ...['rev-list', '-3', '--max-count=2', 'HEAD'],
    ]);
    expect(build('stash', '-u', 'push', '--', 'a')).toEqual(['stash', 'push', '-u', '--', 'a']);
    expect(build('branch', '-vv')).toEqual(['branch', '-vv']);
  });

  it('lets a value look like an option without becoming one', () => {
    expect(build('commit', '-m', '--amend')).toContain('-m--amend');
    expect(build('tag', '-a', '--message', '-d', 'v1')).toEqual([
      ...['tag', '--no-sign', '-a', '--message=-d', 'v1'],
    ]);
  });

  it.each([
    [['-c', 'core.fsmonitor=touch x', 'status']],
    [['-C', '/', 'status']],
    [['--git-dir=/x', 'status']],
    [['--exec-path=/x', 'status']],
    [['config', 'core.fsmonitor', 'touch x']],
    [['rebase', '--exec', 'touch x', 'HEAD~1']],
    [['bisect', 'run', 'touch']],
    [['toString']],
    [[]],
  ])('knows no subcommand %j', (given) => {
    expect(() => buildGitArguments(given)).toThrow(/must be one of these: add, blame, branch/);
  });

  it.each(['fetch', 'pull', 'push', 'clone', 'submodule'])('refuses %s with the reason', (name) => {
    expect(() => build(name, 'ext::sh -c touch% x')).toThrow(/no access to other repositories/);
  });

  it.each([
    ['diff', '--no-index'],
    ['diff', '--ext-diff'],
    ['diff', '--output=/x'],
    ['diff', '-O/x'],
    ['log', '--textconv'],
    ['log', '--output', 'x'],
    ['show', '--show-signature'],
    ['grep', '--open-files-in-pager=touch'],
    ['grep', '-Otouch'],
    ['commit', '-F', '/etc/passwd'],
    ['commit', '-S'],
    ['commit', '--template=/x'],
    ['commit', '--mess', 'abbreviated'],
    ['init', '--template=/x'],
    ['init', '--separate-git-dir=/x'],
    ['merge', '--strategy=evil'],
    ['merge', '-s', 'evil'],
    ['tag', '-s'],
    ['blame', '--contents', '/etc/passwd'],
    ['add', '--pathspec-from-file=/x'],
    ['rev-parse', '--git-dir'],
    ['ls-files', '--recurse-submodules'],
    ['checkout', '--recurse-submodules'],
    ['status', '--ignore-submodules=none'],
    ['cat-file', '--textconv'],
    ['cat-file', '--filters'],
  ])('refuses git %s %s and names what is allowed', (name, ...options) => {
    expect(() => build(name, ...options)).toThrow(/cannot be given .* here; its options are -/);
  });

  it.each(['/etc/passwd', '../x', 'a/../../x', '..'])('refuses the way out %s', (path) => {
    expect(() => build('diff', path)).toThrow(/may lead outside/);
    expect(() => build('diff', '--', path)).toThrow(/may lead outside/);
  });

  it('refuses values where there are none, and none where there must be one', () => {
    expect(() => build('add', '--all=x')).toThrow(/takes no value/);
    expect(() => build('commit', '-m')).toThrow(/needs a value/);
    expect(() => build('merge', 'a', 'b')).toThrow(/at most 1/);
  });

  it('offers no option anywhere that names a program, a file outside or another repository', () => {
    const feared =
      /^(exec|upload-pack|receive-pack|output|no-index|ext-diff|textconv|git-dir|work-tree|template|pathspec-from-file|file|F|O|open-files-in-pager|strategy|gpg-sign|sign|local-user|recurse-submodules|contents|config|interactive|edit)$/;
    for (const [name, { options }] of gitSubcommands) {
      const words = options.split(' ').map((word) => word.replace(/[:=]$/, ''));
      // The letter is another thing there: fixed strings, and what a revert is committed with.
      const harmless = ['log', 'show', 'reflog', 'rev-list', 'grep'].includes(name) ? ['F'] : [];
      const found = words.filter((word) => feared.test(word) && !harmless.includes(word));
      expect([name, found]).toEqual([name, []]);
    }
  });
});
