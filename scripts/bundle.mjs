// Bundles one entry with the workspace packages it uses; what npm installed stays outside.
// Usage: node scripts/bundle.mjs <entry> <outdir>   (paths from the repository root)
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Writes `<outdir>/<name of the entry>.js` and its chunks, and removes what an older build left. */
export async function bundle(entry, outdir) {
  const out = resolve(root, outdir);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [resolve(root, entry)],
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    plugins: [keepInstalledOutside(out)],
  });
  const written = new Set(Object.keys(metafile.outputs).map((file) => resolve(root, file)));
  for (const name of readdirSync(out)) {
    if (!written.has(join(out, name))) rmSync(join(out, name), { recursive: true });
  }
}

// A package stays outside when the bundle will find the same copy as the source does.
function keepInstalledOutside(out) {
  return {
    name: 'keep-installed-outside',
    setup(context) {
      context.onResolve({ filter: /^[^./]/ }, ({ path, kind, resolveDir }) => {
        if (kind === 'entry-point' || path.startsWith('@loom/')) return null;
        if (path.startsWith('node:')) return { path, external: true };
        const [scope, name] = path.split('/');
        const packageName = scope.startsWith('@') ? `${scope}/${name}` : scope;
        const same = installedAt(packageName, resolveDir) === installedAt(packageName, out);
        return same ? { path, external: true } : null;
      });
    },
  };
}

function installedAt(packageName, from) {
  const candidate = join(from, 'node_modules', packageName);
  if (existsSync(candidate)) return candidate;
  return from === dirname(from) ? null : installedAt(packageName, dirname(from));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [entry, outdir] = process.argv.slice(2);
  if (outdir === undefined) {
    console.error('Usage: node scripts/bundle.mjs <entry> <outdir>');
    process.exit(2);
  }
  await bundle(entry, outdir);
}
