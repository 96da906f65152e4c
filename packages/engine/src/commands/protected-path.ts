import { withoutHoles } from './expand-words.ts';

const folders = /^\.(ssh|gnupg)$/;
const environment = /^\.env/;
const credentialFiles = /^(\.netrc|\.pgpass|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519))$/;
const secretWord = /^(secrets?|credentials?)$/;

const documents = /\.(md|mdx|rst|adoc)$/;
// A program that deals with secrets is not itself one, unless it is called just that.
const sources =
  /\.(c|cc|cpp|cs|css|ex|go|h|html|java|js|jsx|kt|mjs|cjs|php|py|rb|rs|scala|sh|sql|svelte|swift|tf|ts|tsx|vue)$/;

/** Whether a path is where secrets are kept: `.env*`, credentials, secrets, `.ssh`, `.gnupg`. */
export function isProtectedPath(path: string): boolean {
  const segments = withoutHoles(path)
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..');
  const name = segments.at(-1) ?? '';
  if (segments.some((segment) => isProtectedName(segment))) return true;
  if (documents.test(name)) return false;
  if (secretWord.test(stem(name))) return true;
  if (sources.test(name)) return false;
  return segments.some(
    (segment, index) =>
      secretWord.test(segment.replace(/^\./, '')) ||
      (index === segments.length - 1 && segment.split(/[^a-z0-9]+/).some(isSecretWord)),
  );
}

function isSecretWord(word: string): boolean {
  return secretWord.test(word);
}

/** `secrets.yaml` and `.secrets`, not `secrets.test.ts`. */
function stem(name: string): string {
  return name.replace(/^\./, '').replace(/\.[^.]*$/, '');
}

function isProtectedName(segment: string): boolean {
  if (folders.test(segment) || environment.test(segment) || credentialFiles.test(segment)) {
    return true;
  }
  return /[*?[]/.test(segment) && mayMatchProtected(segment);
}

/** A pattern that says enough to mean one of these, as `.e*`; a bare `*` does not. */
function mayMatchProtected(pattern: string): boolean {
  if (!/^(\.|[a-z]{3})/.test(pattern)) return false;
  const short = pattern.replace(/\*+/g, '*');
  if (short.length > 100) return true;
  const source = short
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replace(/\[[^\]]*\]|\?/g, '.')
    .replace(/\[/g, '\\[')
    .replaceAll('*', '.*');
  const expression = new RegExp(`^${source}$`);
  return ['.env', '.ssh', '.gnupg', 'secrets', 'credentials'].some((name) => expression.test(name));
}
