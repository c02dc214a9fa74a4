// `npm run build`: each program as one file in `dist/`, which runs on Node alone, and packages for other projects.
import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildPrograms } from './build/build-programs.ts';
import { packPackages } from './build/packages.ts';
import { distFolder } from './build/program-file.ts';
import { programs } from './build/programs.ts';
import { root } from './checks.ts';
import { withoutArguments } from './without-arguments.ts';

withoutArguments(
  'usage: npm run build\n\nWrites each program as one file to dist/, and packages for other projects.',
);

await buildPrograms(distFolder);
const packages = await packPackages(distFolder);
for (const file of [...programs.map(({ name }) => join(distFolder, `${name}.mjs`)), ...packages])
  console.log(`${relative(root, file)} ${(statSync(file).size / 1024).toFixed(0)} KiB`);
