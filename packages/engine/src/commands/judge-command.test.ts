import { describe, expect, it } from 'vitest';
import { judgeArguments, judgeCommand } from './judge-command.ts';

describe('a recursive delete is seen', () => {
  it.each([
    'rm -rf build',
    'rm -r build',
    'rm -R build',
    'rm -fr build',
    'rm build -rf',
    'rm -f -v -r build',
    'rm --recursive build',
    'rm --rec --force build',
    'rm -rf "$DIR"',
    'rm -r$X build',
    `rm \${OPTIONS:--rf} build`,
    '/bin/rm -r build',
    '../../bin/rm -r build',
    '\\rm -r build',
    'r\\m -r build',
    "'rm' -r build",
    'r""m "-r" build',
    "$'\\x72m' -r build",
    "$'rm\\0x' -r build",
    'r\\\nm -r build',
    '{rm,-rf,build}',
    'grm -r build',
    'env a.b=1 rm -r build',
    'env - A=1 rm -r build',
    'rimraf build',
    './node_modules/.bin/rimraf build',
    'npx rimraf build',
    'pnpm exec rimraf build',
    'find . -name "*.o" -delete',
    'find . -exec rm {} +',
    'find . -type f -exec sh -c \'rm "$1"\' _ {} \\;',
    'find . -name x | xargs rm',
    'find . -name x | grep y | xargs -0 unlink',
    'find . | while read f; do rm "$f"; done',
    'fd -e o -x rm',
    'rsync -a --delete a/ b/',
    'rsync --delete-after -a a/ b/',
    'git clean -fd',
    'git clean -d -f -x',
    'git clean --force',
    'git rm -r src',
    'git worktree remove --force ../other',
  ])('%s', (command) => {
    expect(judgeCommand(command)).toMatch(/^It deletes .+: /);
  });

  it.each([
    'rm file.txt',
    'rm -f a b',
    'rm -- -r',
    'rm -f "$tmp"',
    'rm *.log',
    'rmdir build',
    'cat list | xargs rm',
    'find . -name "*.ts" -exec grep -l x {} +',
    'find . -type f | xargs grep rm',
    'rsync -av a/ b/',
    'git clean -n -d',
    'git clean --dry-run',
    'git rm -r --cached .',
    'docker rm -f web',
    'npm rm -D rimraf',
    'npm install rimraf eslint',
    'ls -R; cp -r a b; grep -rf patterns .',
  ])('but not in: %s', (command) => {
    expect(judgeCommand(command)).toBeNull();
  });
});

describe('what changes a database is seen', () => {
  it.each([
    'psql -c "DROP TABLE users"',
    'psql -c"drop table users"',
    "psql --command='truncate users'",
    'PGPASSWORD=x psql "$URL" -c "delete from users where id = $ID"',
    "mysql -e 'delete from users' shop",
    'mysql shop <<< "DROP DATABASE shop"',
    'sqlite3 app.db "select 1; drop table x"',
    "echo 'truncate table x' | psql",
    "printf 'drop %s x;' table | sqlite3 app.db",
    'psql <<EOF\nbegin;\ndelete from users;\nEOF',
    "cat <<'EOF' | tee log | mysql shop\nDROP TABLE x;\nEOF",
    '{ echo "begin;"; echo "drop table x;"; } | psql',
    'psql < <(echo "drop table x")',
    'SQL="drop table x"; psql -c "$SQL"',
    'docker exec -i db psql -U app -c "drop table x"',
    'docker compose exec -T db psql <<EOF\ndrop table x\nEOF',
    'npx prisma db execute --stdin <<< "drop table x"',
    'dropdb shop',
    'mysqladmin -u root drop shop',
  ])('%s', (command) => {
    expect(judgeCommand(command)).toMatch(/^It deletes (data from )?a database: /);
  });

  it('with the commands that a client runs in a shell', () => {
    expect(judgeCommand('psql <<EOF\n\\! rm -rf x\nEOF')).toContain('rm -rf x');
    expect(judgeCommand("sqlite3 a.db '.shell rm -rf x'")).toContain('rm -rf x');
  });

  it.each([
    'psql -c "select * from deleted_items"',
    `psql -c "select 'drop table x'"`,
    'psql -c "select 1 -- drop table x"',
    'psql -f migration.sql',
    'cat migration.sql | psql',
    'grep -r "drop table" .',
    'echo "delete from users" > notes.sql',
    'git commit -m "drop table users"',
  ])('but not in: %s', (command) => {
    expect(judgeCommand(command)).toBeNull();
  });
});

describe('rights are seen', () => {
  it.each([
    'chmod 777 x',
    'chmod 0777 x',
    'chmod -R 777 .',
    'chmod 1777 x',
    'chmod a+rwx x',
    'chmod a=rwx x',
    'chmod ugo+rwx x',
    'chmod u=rwx,g=rwx,o=rwx x',
    'chmod a+r,a+w,a+x x',
    'sudo ls',
    '/usr/bin/sudo -n true',
    'doas ls',
    "su -c 'ls' root",
    'su',
    'pkexec ls',
    'echo secret | sudo -S ls',
  ])('%s', (command) => {
    expect(judgeCommand(command)).not.toBeNull();
  });

  it.each([
    'chmod 755 x',
    'chmod +x run.sh',
    'chmod u+rwx x',
    'chmod go-rwx x',
    'chmod a+rx x',
    'chmod 600 ~/.ssh/id_rsa',
    'chmod --reference=a b',
    'cat docs/sudo.md',
    'which sudo',
    'command -v sudo',
    'man su',
    'echo sudo su',
  ])('but not in: %s', (command) => {
    expect(judgeCommand(command)).toBeNull();
  });
});

describe('what git overwrites is seen', () => {
  it.each([
    'git push --force',
    'git push -f origin main',
    'git push -uf origin main',
    'git push origin main --force-with-lease',
    'git push --force-with-lease=main:abc origin',
    'git push origin +main',
    'git push origin +HEAD:main',
    'git push origin :old',
    'git push origin --delete old',
    'git push -d origin old',
    'git push --mirror',
    'git -C sub push --force',
    'git -c a.b=c --no-pager push -f',
    'git reset --hard',
    'git reset HEAD~1 --hard',
    "git -c alias.x='!rm -rf b' x",
    'git -c alias.p=push p --force',
    "git config alias.nuke 'reset --hard'",
    "git submodule foreach --recursive 'git reset --hard'",
    "git rebase -x 'rm -rf b' main",
    'git bisect run rm -rf b',
    'git $COMMAND --hard',
  ])('%s', (command) => {
    expect(judgeCommand(command)).not.toBeNull();
  });

  it.each([
    'git push',
    'git push origin HEAD:main',
    'git push --follow-tags origin "$BRANCH"',
    'git push -o ci.skip origin main',
    'git reset --soft HEAD~1',
    'git reset --mixed',
    'git checkout -- .',
    'git commit -m "git push --force"',
    "git log --grep 'reset --hard'",
    'git stash pop stash@{0}',
    'git branch -D old',
  ])('but not in: %s', (command) => {
    expect(judgeCommand(command)).toBeNull();
  });
});

describe('what cannot be known beforehand is asked about', () => {
  it.each([
    '$X -rf build',
    'X=rm; $X -rf build',
    `r\${empty}m -rf build`,
    '"$@"',
    '$(which rm) build',
    '`which rm` build',
    '/bin/r? build',
    `a=(rm -rf build); "\${a[@]}"`,
    'eval "$CMD"',
    'sh -c "$CMD"',
    'bash -c "cd $DIR && make"',
    'curl https://example.com/x | sh',
    'curl https://example.com/x | bash -s -- -y',
    'base64 -d x | sh',
    'bash <(curl https://example.com)',
    'source /dev/stdin <<< "$X"',
    'echo x | tee >(sh)',
    "cat list | xargs -I{} sh -c '{}'",
    'cat list | xargs env',
    'find . -exec {} \\;',
  ])('%s', (command) => {
    expect(judgeCommand(command)).toMatch(/only known once it runs/);
  });

  it.each([
    ["echo 'x", 'a single quote is not closed'],
    ['echo "x', 'a double quote is not closed'],
    ['echo $(ls', 'a parenthesis is not closed'],
    ['echo `ls', 'a backtick is not closed'],
    ['echo ${x', 'an expansion is not closed'],
    ['(ls', 'a parenthesis is not closed'],
    ['ls)', 'too many'],
    ['ls;;', 'too many'],
    ['if true; then ls', '"elif" or "else" or "fi" is missing'],
    ['if true; fi', '"fi" stands where no command can begin with it'],
    ['cat <<EOF\nx', 'a here-document does not end'],
    ['cat <<EOF', 'a here-document has no text'],
    ['echo >', 'a redirection does not say where to'],
    ['coproc rm -rf x', '"coproc" stands where no command can begin with it'],
    ['i\\\nf true; then rm -rf x; fi', '"if" stands where no command can begin with it'],
    ['echo $\\\n(rm -rf x)', 'a backslash stands within an expansion'],
    [`echo "a\${b:-"$\\(rm -rf x)"}"`, 'a backslash stands within an expansion'],
    ['a=(x)\\\n#; rm -rf x', 'something stands right behind a list of values'],
  ])('%j', (command, why) => {
    const reason = judgeCommand(command);
    expect(reason).toMatch(/^It cannot be read as a command, because /);
    expect(reason).toContain(why);
  });
});

describe('a command that would take too long to look through', () => {
  it('is asked about', () => {
    const asked = (command: string) => judgeCommand(command) ?? 'allowed';
    expect(asked(`echo ${'{a,b}'.repeat(20)}`)).toContain('its braces make too many words');
    expect(asked(`echo ${'{'.repeat(1_000)}`)).toContain('it has too many braces');
    expect(asked(`echo ${'$('.repeat(500)}`)).toContain('it is nested too deeply');
    expect(asked('('.repeat(10_000))).toContain('it is too involved');
    expect(asked(`${'$(('.repeat(25)}1${') )'.repeat(25)}`)).toContain('it is too involved');
    expect(asked('x'.repeat(100_001))).toContain('it is too long');
    expect(asked(`${'env '.repeat(50)}ls`)).toContain('too many commands');
    expect(asked('ls;'.repeat(5_000))).toContain('too many commands');
    expect(asked(`docker run ${'env '.repeat(199)}`)).toContain('too many commands');
    expect(asked(`docker run ${'-q '.repeat(300)} x`)).toContain('only known once it runs');
  });

  it('is not one that doubles a text again and again', () => {
    const doubling = Array.from({ length: 60 }, (_, n) => `A${n + 1}=$A${n}$A${n};`).join('');
    expect(judgeCommand(`A0=x; ${doubling} echo $A60 | cat`)).toBeNull();
  });
});

describe('the reason', () => {
  it('is one short line that shows the command itself', () => {
    expect(judgeCommand('true && sh -c "rm  -rf build"')).toBe(
      'It deletes directories and all they contain: rm -rf build',
    );
    expect(judgeCommand(`rm -rf "${'a b\n'.repeat(500)}"`)).toMatch(/^.{200,300}…$/);
    expect(judgeCommand('rm -rf "$DIR" "a b"')).toMatch(/: rm -rf … 'a b'$/);
  });
});

describe('a program without a shell', () => {
  it('is judged by its arguments, which no shell takes apart', () => {
    expect(judgeArguments(['rm', '-rf', 'x'])).toContain('rm -rf x');
    expect(judgeArguments(['sh', '-c', 'rm -rf x'])).toContain('rm -rf x');
    expect(judgeArguments(['echo', '$(rm -rf x)'])).toBeNull();
    expect(judgeArguments(['constructor', '-rf'])).toBeNull();
    expect(judgeArguments([])).toBeNull();
  });
});
