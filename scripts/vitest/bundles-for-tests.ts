import type { TestProject } from 'vitest/node';
import { buildPrograms } from '../build/build-programs.ts';
import { distFolder, runsBundles } from '../build/program-file.ts';

/** Where tests run bundles, the run begins with those of these sources, so that it never judges old ones. */
export default async function setup({ config }: TestProject): Promise<void> {
  if (runsBundles(config.env)) await buildPrograms(distFolder);
}
