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
import { withoutArguments } from './without-arguments.ts';

withoutArguments(
  'usage: npm run build\n\nWrites each program as one file to dist/, and packages for other projects.',
);

const { values } = parseArgs({ options: { downloads: { type: 'string', default: nowhere } } });
await buildPrograms(distFolder);
const packages = await packPackages(distFolder);
const downloads = await writeDownloads(distFolder, values.downloads, packages);
for (const file of [
  ...programs.map(({ name }) => join(distFolder, `${name}.mjs`)),
  ...packages,
  ...downloads,
])
  console.log(`${relative(root, file)} ${Math.ceil(statSync(file).size / 1024)} KiB`);
