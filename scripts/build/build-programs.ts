import { rmSync } from 'node:fs';
import { bundle } from './bundle.ts';
import { programs } from './programs.ts';

/** All programs as bundles in a folder, of which nothing else is left. */
export async function buildPrograms(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  for (const program of programs) await bundle(program, folder);
}
