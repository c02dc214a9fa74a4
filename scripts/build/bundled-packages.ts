import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../checks.ts';
import type { Program } from './programs.ts';

/** A package of others whose code is in a bundle. */
export interface BundledPackage {
  /** From the root of this project: `node_modules/…`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The texts of its licence and of its notices. */
  readonly texts: readonly string[];
}

/** What the source maps of a program in `folder` name, its helpers included. Throws where one has no licence text. */
export function bundledPackages(program: Program, folder: string): readonly BundledPackage[] {
  const { name, helpers = [] } = program;
  const maps = [`${name}.mjs.map`, ...helpers.map((helper) => join(name, `${helper.name}.mjs.map`))];
  const paths = maps.flatMap((file) => {
    const { sources } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      readonly sources: readonly string[];
    };
    return sources.flatMap((source) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? []);
  });
  return [...new Set(paths)].toSorted().map(packageAt);
}

function packageAt(path: string): BundledPackage {
  const folder = join(root, path);
  const file = join(folder, 'package.json');
  if (!existsSync(file)) throw new Error(`${path} is in a bundle and not installed: npm ci`);
  const { name, version, license } = JSON.parse(readFileSync(file, 'utf8')) as Omit<BundledPackage, 'texts'>;
  const texts = readdirSync(folder)
    .filter((entry) => /^(licen[cs]e|copying|notice)(\.(txt|md))?$/i.test(entry))
    .toSorted()
    .map((entry) => readFileSync(join(folder, entry), 'utf8').trim());
  if (texts.length === 0)
    throw new Error(`${path} is in a bundle and has no licence text that could be given on`);
  return { path, name, version, license, texts };
}
