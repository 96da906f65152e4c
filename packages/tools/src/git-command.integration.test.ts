import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitCommandTool } from './git-command.ts';
import { createToolRegistry } from './registry.ts';
import { probeSandbox } from './sandbox/probe-sandbox.ts';
import type { ShellOptions } from './sandbox/shell-options.ts';
import { contextIn, temporaryDirectory } from './test-workspace.ts';

const sandbox = await probeSandbox();
const options: ShellOptions = {
  allow_unsandboxed: true,
  network: true,
  hidden_paths: [],
  sandbox,
};

const plainGit = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@t', ...args], {
    cwd,
    env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    encoding: 'utf8',
    stdio: 'pipe',
  });

async function scene() {
  const workspace = await temporaryDirectory();
  const registry = createToolRegistry([gitCommandTool(options)], { max_output_chars: 40_000 });
  const context = contextIn(workspace);
  const git = (...args: string[]) => registry.run('git_command', { args }, context);
  const write = (path: string, text: string) => writeFile(join(workspace, path), text);
  const read = (path: string) => readFile(join(workspace, path), 'utf8');
  return { workspace, git, write, read, context };
}

async function repository() {
  const place = await scene();
  await place.write('a.txt', 'one\n');
  plainGit(place.workspace, 'init', '-q', '-b', 'main');
  plainGit(place.workspace, 'add', '.');
  plainGit(place.workspace, 'commit', '-qm', 'first');
  return place;
}

describe.runIf(sandbox.works)('git_command', () => {
  it('does the daily work in a repository of its own making', async () => {
    const { git, write, read, context } = await scene();
    expect((await git('status')).text).toMatch(/no git repository; make one with \["init"\]/);
    expect(await git('init', '-b', 'main')).toMatchObject({ ok: true, exit_code: 0 });
    expect((await git('init')).text).toContain('already');
    await write('a.txt', 'one\n');
    expect((await git('status', '-s')).text).toBe('exit code 0\n?? a.txt\n');
    expect(await git('add', '-A')).toMatchObject({ exit_code: 0 });
    expect(await git('commit', '-m', 'first')).toMatchObject({ exit_code: 0 });
    expect((await git('log', '--format=%an <%ae> %s')).text).toBe(
      'exit code 0\nLoom <loom@localhost> first\n',
    );
    expect(await git('switch', '-c', 'side')).toMatchObject({ exit_code: 0 });
    await write('a.txt', 'two\n');
    expect((await git('diff', '--stat')).text).toContain('1 file changed');
    expect(await git('commit', '-am', 'second')).toMatchObject({ exit_code: 0 });
    const back = await git('checkout', 'main');
    expect(back).toMatchObject({ exit_code: 0, changes: [{ path: 'a.txt' }] });
    expect(context.kept).toMatchObject([
      { path: 'a.txt', before: { content: Buffer.from('two\n') } },
    ]);
    expect(await git('merge', '--no-ff', '-m', 'join', 'side')).toMatchObject({ exit_code: 0 });
    expect(await read('a.txt')).toBe('two\n');
    for (const args of [
      ['branch', '-m', 'side', 'other'],
      ['branch', '-d', 'other'],
      ['tag', '-a', '-m', 'a tag', 'v1'],
      ['blame', '-L', '1,1', 'a.txt'],
      ['show', 'HEAD', '--', 'a.txt'],
      ['rev-parse', '--abbrev-ref', 'HEAD'],
      ['ls-files', '-s'],
      ['grep', '-n', 'two'],
      ['mv', 'a.txt', 'b.txt'],
      ['restore', '--staged', '.'],
      ['reset', '--hard', 'HEAD'],
      ['clean', '-fd'],
      ['rm', '-q', 'a.txt'],
      ['stash', 'push', '-m', 'later'],
      ['stash', 'pop'],
      ['revert', '--no-edit', '-m', '1', 'HEAD'],
    ]) {
      const result = await git(...args);
      expect([args, result.text]).toEqual([args, expect.stringMatching(/^exit code 0\n/)]);
    }
  });

  it('commits under the identity of the repository where it has one', async () => {
    const { git, workspace } = await repository();
    plainGit(workspace, 'config', 'user.name', 'Ada "A" \\ L');
    plainGit(workspace, 'config', 'user.email', 'ada@example.org');
    await git('commit', '--allow-empty', '-m', 'x');
    const { text } = await git('log', '-1', '--format=%an %ae');
    expect(text).toBe('exit code 0\nAda "A" \\ L ada@example.org\n');
  });

  it('opens no editor', async () => {
    const { git } = await repository();
    const result = await git('commit', '--allow-empty');
    expect(result.exit_code).not.toBe(0);
    expect(result.text).toMatch(/-m/);
  });

  it('needs a sandbox, whatever the operator allows the shell', () => {
    const none = { works: false, reason: 'bubblewrap (bwrap) is not installed' };
    expect(gitCommandTool({ ...options, sandbox: none }).unavailable()).toMatch(/bubblewrap/);
  });
});

/** Everything a model might do in a repository that it was just given. */
const visits = [
  ['status'],
  ['status', '-s', '--ignored'],
  ['diff'],
  ['diff', '--cached'],
  ['diff', 'HEAD~1', 'HEAD'],
  ['log', '-p', '--all'],
  ['log', '-1', '--format=%G?'],
  ['show', 'HEAD'],
  ['blame', 'a.txt'],
  ['grep', 'one'],
  ['branch', '-a'],
  ['branch', 'new'],
  ['branch', '-D', 'new'],
  ['remote', '-v'],
  ['stash', 'push', '-u'],
  ['stash', 'show', '-p'],
  ['stash', 'pop'],
  ['add', '-A'],
  ['add', 'a.txt', 'sub'],
  ['commit', '-am', 'x'],
  ['commit', '--amend', '--no-edit'],
  ['tag', '-a', '-m', 'x', 'v9'],
  ['restore', '--source', 'HEAD~1', '.'],
  ['checkout', 'HEAD~1', '--', 'a.txt'],
  ['checkout', '-f', 'side'],
  ['merge', '-m', 'x', 'main'],
  ['switch', '-f', 'main'],
  ['cherry-pick', 'side'],
  ['reset', '--hard', 'HEAD'],
  ['rm', '--cached', 'a.txt'],
  ['cat-file', '-p', 'HEAD:a.txt'],
  ['st'],
];

const commandKeys = (run: string) =>
  [
    'core.fsmonitor',
    'core.pager',
    'core.editor',
    'core.sshCommand',
    'core.askPass',
    'core.gitProxy',
    'core.alternateRefsCommand',
    'sequence.editor',
    'diff.external',
    'diff.evil.command',
    'diff.evil.textconv',
    'filter.evil.clean',
    'filter.evil.smudge',
    'filter.evil.process',
    'merge.evil.driver',
    'merge.default',
    'gpg.program',
    'credential.helper',
    'interactive.diffFilter',
    'pager.log',
    'trailer.evil.cmd',
    'uploadpack.packObjectsHook',
    'hook.evil.command',
  ].map((key) => [key, key === 'merge.default' ? 'evil' : run] as const);

async function hostile() {
  const place = await repository();
  const { workspace, write } = place;
  // Where git itself does not move or remove it.
  const canary = join(workspace, '.git', 'canary');
  const script = join(workspace, '.git', 'evil.sh');
  await writeFile(script, `#!/bin/sh\necho "$0 $*" >> '${canary}'\ncat\n`);
  await chmod(script, 0o755);
  await write('.gitattributes', '* filter=evil diff=evil merge=evil text\n');
  plainGit(workspace, 'add', '.');
  plainGit(workspace, 'commit', '-qm', 'attributes');
  plainGit(workspace, 'branch', 'side', 'HEAD~1');
  plainGit(workspace, 'commit', '-q', '--allow-empty', '-m', 'again');
  await write('a.txt', 'one\ntwo\n');
  return { ...place, canary, script };
}

async function visitAll(git: (...args: string[]) => Promise<{ text: string }>): Promise<string> {
  const texts: string[] = [];
  for (const args of visits) texts.push(`git ${args.join(' ')}: ${(await git(...args)).text}`);
  return texts.join('\n');
}

describe.runIf(sandbox.works)('git_command in a hostile repository', () => {
  it('runs no program that the configuration names', async () => {
    const { workspace, git, canary, script } = await hostile();
    for (const [key, value] of commandKeys(script)) plainGit(workspace, 'config', key, value);
    plainGit(workspace, 'config', 'alias.st', `!${script}`);
    plainGit(workspace, 'config', 'filter.evil.required', 'true');
    plainGit(workspace, 'config', 'commit.gpgSign', 'true');
    plainGit(workspace, 'config', 'remote.origin.url', `ext::${script}`);
    plainGit(workspace, 'config', 'protocol.ext.allow', 'always');
    const said = await visitAll(git);
    expect(existsSync(canary)).toBe(false);
    // The visits did something: a repository in which all fails would prove nothing.
    expect(said).toContain('git commit -am x: exit code 0');
    expect(said).toContain('git stash pop: exit code 0');
  });

  it('runs nothing that included files name', async () => {
    const { workspace, git, canary, script } = await hostile();
    const lines = commandKeys(script).map(([key, value]) => {
      const [section, ...rest] = key.split('.');
      const [name, sub] = rest.reverse();
      return `[${section}${sub === undefined ? '' : ` "${sub}"`}]\n${name} = ${value}\n`;
    });
    await writeFile(join(workspace, 'more.config'), lines.join(''));
    plainGit(workspace, 'config', 'include.path', '../more.config');
    plainGit(workspace, 'config', 'includeIf.gitdir:**.path', '../more.config');
    plainGit(workspace, 'config', 'extensions.worktreeConfig', 'true');
    await writeFile(join(workspace, '.git/config.worktree'), lines.join(''));
    await visitAll(git);
    expect(existsSync(canary)).toBe(false);
  });

  it('runs no hook', async () => {
    const { workspace, git, canary, script } = await hostile();
    const hooks = join(workspace, '.git/hooks');
    await mkdir(hooks, { recursive: true });
    const names =
      'applypatch-msg pre-commit prepare-commit-msg commit-msg post-commit pre-merge-commit post-merge post-checkout pre-rebase post-rewrite reference-transaction post-index-change fsmonitor-watchman pre-auto-gc';
    for (const name of names.split(' ')) await symlink(script, join(hooks, name));
    plainGit(workspace, 'config', 'core.hooksPath', hooks);
    await rm(canary, { force: true });
    await visitAll(git);
    expect(existsSync(canary)).toBe(false);
  });

  it('does not enter a submodule, whose configuration nobody looked at', async () => {
    const { workspace, git, canary, script } = await hostile();
    const sub = join(workspace, 'sub');
    await mkdir(sub);
    plainGit(sub, 'init', '-q');
    await writeFile(join(sub, 'inside.txt'), 'inside\n');
    plainGit(sub, 'add', '.');
    plainGit(sub, 'commit', '-qm', 'inside');
    plainGit(workspace, 'add', 'sub');
    plainGit(workspace, 'commit', '-qm', 'with sub');
    await writeFile(
      join(workspace, '.gitmodules'),
      '[submodule "sub"]\npath = sub\nurl = ./sub\nignore = none\n',
    );
    // As long as before, so that git must read it, through the filter, to see that it differs.
    await writeFile(join(sub, 'inside.txt'), 'edisni\n');
    await writeFile(join(sub, '.gitattributes'), '* filter=evil\n');
    for (const [key, value] of commandKeys(script)) plainGit(sub, 'config', key, value);
    plainGit(workspace, 'config', 'submodule.sub.ignore', 'none');
    plainGit(workspace, 'config', 'submodule.recurse', 'true');
    plainGit(workspace, 'config', 'status.submoduleSummary', 'true');
    await rm(canary, { force: true });
    expect((await git('add', '-A')).text).toMatch(/^exit code 0/);
    expect((await git('commit', '-am', 'all')).text).toMatch(/^exit code 0/);
    await visitAll(git);
    expect(existsSync(canary)).toBe(false);
  });

  it('is not led to another repository by what .git is', async () => {
    const { workspace, git, canary, script } = await hostile();
    const evil = join(workspace, 'evil');
    await rename(join(workspace, '.git'), evil);
    plainGit(evil, '--git-dir=.', 'config', 'core.fsmonitor', script.replace('/.git/', '/evil/'));
    await writeFile(join(workspace, '.git'), 'gitdir: evil\n');
    expect((await git('status')).text).toContain('leads to a repository elsewhere');
    await rm(join(workspace, '.git'));
    await symlink('evil', join(workspace, '.git'));
    expect((await git('status')).text).toContain('leads to a repository elsewhere');
    await rm(join(workspace, '.git'));
    await mkdir(join(workspace, '.git/objects'), { recursive: true });
    await mkdir(join(workspace, '.git/refs'));
    await writeFile(join(workspace, '.git/HEAD'), 'ref: refs/heads/main\n');
    await writeFile(join(workspace, '.git/commondir'), '../evil\n');
    expect((await git('status')).text).toContain('leads to a repository elsewhere');
    expect([existsSync(canary), existsSync(join(evil, 'canary'))]).toEqual([false, false]);
  });

  it('reads nothing outside through links, paths and refs that look like options', async () => {
    const { workspace, git } = await repository();
    const outside = await temporaryDirectory();
    await writeFile(join(outside, 'secret'), 'canary\n');
    await symlink(join(outside, 'secret'), join(workspace, 'link'));
    for (const args of [
      ['diff', '--', join(outside, 'secret')],
      ['diff', join(outside, 'secret'), 'a.txt'],
      ['diff', 'link', 'a.txt'],
      ['grep', 'canary', '--', 'link'],
      ['blame', '../secret'],
      ['add', 'link'],
      ['show', ':link'],
      ['log', '--output=x'],
      ['show', '--upload-pack=x'],
    ]) {
      expect((await git(...args)).text.replaceAll(outside, '')).not.toContain('canary');
    }
    expect(existsSync(join(workspace, 'x'))).toBe(false);
  });
});
