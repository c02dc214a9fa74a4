import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../checks.ts';
import { installedMaterials, materialsOf } from './bill-of-materials.ts';
import { bundle } from './bundle.ts';
import { bundledPackages } from './bundled-packages.ts';
import { describeLicences } from './licences.ts';
import { openModes } from './open-modes.ts';
import { programs } from './programs.ts';

/** All programs as bundles in a folder, of which nothing else is left; beside each, what it holds of others: `.cdx.json` and `.licences.txt`; and our licence. */
export async function buildPrograms(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const installed = await installedMaterials();
  for (const program of programs) {
    const { name } = program;
    await bundle(program, folder);
    const packages = bundledPackages(program, folder);
    const materials = materialsOf({ name, file: join(folder, `${name}.mjs`) }, packages, installed);
    writeFileSync(join(folder, `${name}.cdx.json`), `${JSON.stringify(materials, null, 2)}\n`);
    writeFileSync(join(folder, `${name}.licences.txt`), describeLicences(name, packages));
  }
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  openModes(folder);
}
