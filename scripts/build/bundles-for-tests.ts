import { buildPrograms } from './build-programs.ts';
import { distFolder, runsBundles } from './program-file.ts';

/** With `ATOLL_DIST=1` the run begins with the bundles of these sources, so that it never judges old ones. */
export default async function setup(): Promise<void> {
  if (runsBundles(process.env)) await buildPrograms(distFolder);
}
