import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface SourceFile {
  /** From the root of the repository, with `/`. */
  path: string;
  /** Like `packages/db`. */
  workspace: string;
}

/** Every TypeScript file of every workspace, without what is generated, built or installed. */
export function sourceFiles(root: string): SourceFile[] {
  return ['packages', 'services', 'apps'].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((name) => {
      const workspace = `${group}/${name}`;
      return typescriptFiles(root, workspace).map((path) => ({ path, workspace }));
    }),
  );
}

const skipped = ['node_modules', 'dist', 'generated'];

function typescriptFiles(root: string, directory: string): string[] {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) return skipped.includes(entry.name) ? [] : typescriptFiles(root, path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** The modules that a source text names, whether statically, dynamically, as types or by resolving. */
export function readImports(text: string): string[] {
  const forms = [
    /^(?:import|export)\b[^'"`;]*?\bfrom\s+['"]([^'"]+)['"]/gm,
    /^import\s+['"]([^'"]+)['"]/gm,
    /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g,
    /\brequire(?:\.resolve)?\(\s*['"]([^'"]+)['"]\s*\)/g,
  ];
  return forms.flatMap((form) => [...text.matchAll(form)].map((match) => match[1] ?? ''));
}
