import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../checks.ts';
import { programNamed, type ProgramName } from './programs.ts';

/** Where `npm run build` writes to. */
export const distFolder = join(root, 'dist');

export function runsBundles(environment: Readonly<Record<string, string | undefined>>): boolean {
  return environment['ATOLL_DIST'] === '1';
}

/**
 * The file that Node runs as this program, for everything in this project that starts one: its source, or with `ATOLL_DIST=1` its bundle.
 * Throws where that is not built.
 */
export function programFile(
  name: ProgramName,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  folder = distFolder,
): string {
  if (!runsBundles(environment)) return programNamed(name).entry;
  const file = join(folder, `${name}.mjs`);
  if (existsSync(file)) return file;
  throw new Error(`ATOLL_DIST=1 asks for ${file}, which is not built: npm run build`);
}
