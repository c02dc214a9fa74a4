import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { archiveName, writeArchives } from './archives.ts';
import { krewManifest } from './krew-manifest.ts';
import { sha256Of } from './sha256-of.ts';

/** Where archives are if no address is given: an address that leads nowhere, so that a forgotten one is seen. */
export const nowhere = 'https://downloads.invalid';

/** Archives of the commands, the krew manifest that names one of them below `address`, and the checksums of these and of `others`. Yields the paths. */
export async function writeDownloads(
  folder: string,
  address: string,
  others: readonly string[],
): Promise<readonly string[]> {
  const archives = await writeArchives(folder);
  const plugin = archiveName('kubectl-eds');
  const manifest = join(folder, 'krew', 'eds.yaml');
  mkdirSync(join(folder, 'krew'), { recursive: true });
  const uri = `${address.replace(/\/+$/, '')}/${plugin}`;
  writeFileSync(manifest, krewManifest({ uri, sha256: sha256Of(join(folder, plugin)) }));
  const sums = [...others, ...archives].map((file) => `${sha256Of(file)}  ${basename(file)}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  return [...archives, manifest, join(folder, 'SHA256SUMS')];
}
