// `npm run build`: each program as one file in `dist/`, which runs on Node alone.
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './build/bundle.ts';
import { programs } from './build/programs.ts';
import { root } from './checks.ts';

const folder = join(root, 'dist');
rmSync(folder, { recursive: true, force: true });
for (const program of programs) {
  await bundle(program, folder);
  const { size } = statSync(join(folder, `${program.name}.mjs`));
  console.log(`dist/${program.name}.mjs ${(size / 1024).toFixed(0)} KiB`);
}
