import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const packages = new URL('../packages/', import.meta.url);

/** What an entry point exports: of each file all that it exports, or the names that the entry picks. */
function exportedBy(
  entry: string,
): readonly { readonly file: URL; readonly names: readonly string[] | 'all' }[] {
  const at = new URL(entry, packages);
  const statements = readFileSync(at, 'utf8').matchAll(
    /^export (?:type )?(?:\*|\{([^}]*)\}) from '([^']+)';/gms,
  );
  return [...statements]
    .filter(([, , path = '']) => !path.includes('/types/'))
    .map(([, picked, path = '']) => ({
      file: new URL(path, at),
      names: picked === undefined ? 'all' : picked.split(',').map((name) => name.replace('type ', '').trim()),
    }));
}

/** Names that a file exports, and whether a comment stands before each. */
function declarationsOf(file: URL): ReadonlyMap<string, boolean> {
  const text = readFileSync(file, 'utf8');
  const declarations = new Map<string, boolean>();
  const declaration =
    /^export (?:declare |abstract |async )*(?:function\*?|class|const|let|interface|type) (\w+)/gm;
  for (const match of text.matchAll(declaration)) {
    const [, name = ''] = match;
    const isCommented = text.slice(0, match.index).trimEnd().endsWith('*/');
    // Of an overloaded function one comment is enough.
    declarations.set(name, isCommented || declarations.get(name) === true);
  }
  return declarations;
}

/** Of the packages that others use from `node_modules`. */
const entries = [
  'kube/src/index.ts',
  'kube/src/webhook/index.ts',
  'kube/src/certificates/index.ts',
  'kube/src/command-line/index.ts',
  'kube/src/testing/index.ts',
  'testbed/src/index.ts',
];

describe.for(entries)('%s', (entry) => {
  it('exports no name without a comment on what it promises', () => {
    const bare = exportedBy(entry).flatMap(({ file, names }) =>
      [...declarationsOf(file)]
        .filter(([name, isCommented]) => !isCommented && (names === 'all' || names.includes(name)))
        .map(([name]) => `${file.pathname.replace(packages.pathname, '')}: ${name}`),
    );
    expect(bare).toEqual([]);
  });

  it('exports something', () => {
    const found = exportedBy(entry).flatMap(({ file }) => [...declarationsOf(file).keys()]);
    expect(found.length).toBeGreaterThan(5);
  });
});
