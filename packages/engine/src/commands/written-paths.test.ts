import { describe, expect, it } from 'vitest';
import { judgeCommand } from './judge-command.ts';

describe('a change of secrets is seen', () => {
  it.each([
    'echo A=1 > .env',
    'echo A=1 >> config/.env.production',
    'echo A=1 &> .env',
    'echo A=1 >| .env',
    '> .env',
    ': 2> .env',
    'exec 3> .env',
    'cat > "$DIR/.env" <<EOF\nA=1\nEOF',
    'F=.env; echo A=1 > $F',
    'echo A=1 > .en?',
    'echo A=1 > ".e"nv',
    'echo A=1 | tee -a .env',
    'cp .env.example .env',
    'cp ../main/.env .',
    'cp -t ~/.ssh key',
    'cp key ~/.ssh/',
    'mv new.env .env',
    'mv .env old',
    'ln -sf ../.env .env',
    'install -m 600 key .ssh/id_rsa',
    "sed -i 's/a/b/' .env",
    "sed -i.bak -e 's/a/b/' .env",
    "perl -pi -e 's/a/b/' .env",
    'rm .env',
    'touch .gnupg/gpg.conf',
    'truncate -s 0 secrets.json',
    'dd if=a of=credentials',
    'curl -o .env https://example.com',
    'wget -O secrets.yml https://example.com',
    "ssh-keygen -t ed25519 -f ~/.ssh/id_x -N ''",
    'tar xzf keys.tgz -C ~/.ssh',
    'cd ~/.ssh && echo key >> authorized_keys',
    'git mv a .env',
    'git checkout main -- .env',
    'find . -name x -fprint .env',
  ])('%s', (command) => {
    expect(judgeCommand(command)).toMatch(/secrets are kept: /);
  });

  it.each([
    'cat .env',
    'grep KEY .env > out.txt',
    'source .env && npm test',
    'diff .env .env.example',
    'cp .env /tmp/copy',
    'sed -n 1,5p .env',
    "sed -i 's/.env/x/' README.md",
    'test -f .env && echo yes 2>&1',
    'ssh-keygen -y -f ~/.ssh/id_x',
    'tar czf keys.tgz -C ~/.ssh .',
    'git rm --cached .env',
    'git add .env',
    'cd ~/.ssh && ls',
    '[[ a > .env ]]',
    'echo ".env" >> .gitignore',
    'awk \'{ print $1 > "out" }\' .env',
  ])('but not in: %s', (command) => {
    expect(judgeCommand(command)).toBeNull();
  });
});
