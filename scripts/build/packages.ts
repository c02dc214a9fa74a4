import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../checks.ts';
import { openModes } from './open-modes.ts';

/** A package of this project that others use from `node_modules`. */
export interface PackedPackage {
  /** Without `@atoll/`. */
  readonly name: string;
  /** Files that no other imports, and that are run. */
  readonly programs?: readonly string[];
  /** Folders beside the code. */
  readonly folders?: readonly string[];
  /** What only this project needs: entries, and the packages that they would bring. */
  readonly without?: { readonly entries: readonly string[]; readonly dependencies: readonly string[] };
}

/** In the order of their dependencies. */
export const packedPackages: readonly PackedPackage[] = [
  { name: 'kube' },
  {
    name: 'testbed',
    programs: ['./src/supervisor/main.ts'],
    folders: ['binaries', 'stages'],
    without: { entries: ['./kruise', './node-agent'], dependencies: ['@atoll/api'] },
  },
];

/** What is read of a `package.json`, and what npm needs of one. */
interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/**
 * Writes `<folder>/atoll-<name>-<version>.tgz` for each: JavaScript that Node runs without type stripping, declarations, source maps that
 * hold the sources, README and licence. The same sources give the same bytes. Yields the paths.
 */
export async function packPackages(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const each of packedPackages) {
    const stage = stageOf(folder, each.name);
    rmSync(stage, { recursive: true, force: true });
    mkdirSync(stage, { recursive: true });
    files.push(await pack(each, folder, stage));
  }
  rmSync(join(folder, 'stage'), { recursive: true });
  return files;
}

const stageOf = (folder: string, name: string): string => join(folder, 'stage', name);

async function pack(each: PackedPackage, folder: string, stage: string): Promise<string> {
  const source = join(root, 'packages', each.name);
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
  const { without = { entries: [], dependencies: [] } } = each;
  const entries = Object.entries(manifest.exports).filter(([name]) => !without.entries.includes(name));
  const bin = Object.entries(manifest.bin ?? {});
  const roots = [
    ...entries.map(([, path]) => path),
    ...bin.map(([, path]) => path),
    ...(each.programs ?? []),
  ];
  await compile(source, stage, folder, roots);
  for (const name of each.folders ?? []) cpSync(join(source, name), join(stage, name), { recursive: true });
  cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
  writeFileSync(join(stage, 'README.md'), withoutOutside(readFileSync(join(source, 'README.md'), 'utf8')));
  const dependencies = Object.entries(manifest.dependencies).filter(
    ([name]) => !without.dependencies.includes(name),
  );
  const packed = {
    ...manifest,
    exports: Object.fromEntries(
      entries.map(([name, path]) => [
        name,
        { types: path.replace(/\.ts$/, '.d.ts'), default: compiled(path) },
      ]),
    ),
    ...(bin.length === 0
      ? {}
      : { bin: Object.fromEntries(bin.map(([name, path]) => [name, compiled(path)])) }),
    dependencies: Object.fromEntries(dependencies),
    // That of undici.
    engines: { node: '>=22.19.0' },
    files: ['src', ...(each.folders ?? [])],
  };
  for (const [, path] of bin) chmodSync(join(stage, compiled(path)), 0o755);
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
  openModes(stage);
  const args = ['pack', '--ignore-scripts', '--loglevel=error', `--pack-destination=${folder}`];
  await promisify(execFile)('npm', args, { cwd: stage });
  return join(folder, `atoll-${each.name}-${manifest.version}.tgz`);
}

/** What the compiler makes of a source. */
const compiled = (path: string): string => path.replace(/\.ts$/, '.js');

/** Only what the roots reach, at the places that the sources have, so that paths to files beside them stay right. */
async function compile(
  source: string,
  stage: string,
  folder: string,
  roots: readonly string[],
): Promise<void> {
  const project = `${stage}.tsconfig.json`;
  const before = packedPackages.map(({ name }) => name).filter((name) => stageOf(folder, name) !== stage);
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      rootDir: source,
      outDir: stage,
      typeRoots: [join(root, 'node_modules', '@types')],
      declaration: true,
      sourceMap: true,
      inlineSources: true,
      rewriteRelativeImportExtensions: true,
      // Others' declarations, not their sources: those would be compiled into this package.
      paths: Object.fromEntries(before.map((name) => [`@atoll/${name}`, [declarationsOf(folder, name)]])),
    },
    files: roots.map((path) => join(source, path)),
    include: [],
  };
  writeFileSync(project, JSON.stringify(config));
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  await promisify(execFile)(tsc, ['-p', project], { cwd: root }).catch((error: unknown) => {
    const { stdout = '' } = error as { readonly stdout?: string };
    throw new Error(`cannot compile ${source}:\n${stdout}`, { cause: error });
  });
  rmSync(project);
  for (const path of readdirSync(join(stage, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.map')) nameSourceBeside(join(stage, 'src', path));
  }
}

/** A map holds its source; the name that the compiler gives it leads to the folder where this project was built. */
function nameSourceBeside(file: string): void {
  const map = JSON.parse(readFileSync(file, 'utf8')) as { readonly sources: readonly string[] };
  writeFileSync(file, JSON.stringify({ ...map, sources: map.sources.map((source) => basename(source)) }));
}

const declarationsOf = (folder: string, name: string): string =>
  join(stageOf(folder, name), 'src', 'index.d.ts');

/** Links to other parts of this project lead nowhere from a package. */
function withoutOutside(readme: string): string {
  return readme.replace(/\[([^\]]+)\]\(\.\.\/\.\.\/[^)]*\)/g, '$1');
}
