// `npm run build`: each program as one file in `dist/`, which runs on Node alone.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { buildPrograms } from './build/build-programs.ts';
import { distFolder } from './build/program-file.ts';
import { programs } from './build/programs.ts';

await buildPrograms(distFolder);
for (const { name } of programs) {
  const { size } = statSync(join(distFolder, `${name}.mjs`));
  console.log(`dist/${name}.mjs ${(size / 1024).toFixed(0)} KiB`);
}
