// `npm run build`: each program as one file in `dist/`, which runs on Node alone; packages for other projects; archives for people.
import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPrograms } from './build/build-programs.ts';
import { packPackages } from './build/packages.ts';
import { distFolder } from './build/program-file.ts';
import { programs } from './build/programs.ts';
import { nowhere, writeDownloads } from './build/write-downloads.ts';
import { root } from './checks.ts';

const usage = `usage: npm run build [-- --downloads URL]

Writes each program as one file to dist/, packages for other projects, and archives for people.

  --downloads URL  where the archives will be, for the manifest of krew`;

const { downloads: address, help } = readFlags();
if (help) {
  console.log(usage);
  process.exit(0);
}
await buildPrograms(distFolder);
const packages = await packPackages(distFolder);
const downloads = await writeDownloads(distFolder, address, packages);
for (const file of [
  ...programs.map(({ name }) => join(distFolder, `${name}.mjs`)),
  ...packages,
  ...downloads,
])
  console.log(`${relative(root, file)} ${Math.ceil(statSync(file).size / 1024)} KiB`);

/** Ends the process with code 2 where the command line is wrong, before anything is built. */
function readFlags(): { readonly downloads: string; readonly help: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        downloads: { type: 'string', default: nowhere },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (!URL.canParse(values.downloads)) throw new Error(`--downloads is "${values.downloads}", and no URL`);
    return values;
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    const why = first.replace(/\.$/, '');
    console.error(`error: ${why}; there is --downloads URL. npm run build -- --help shows how it is used`);
    return process.exit(2);
  }
}
