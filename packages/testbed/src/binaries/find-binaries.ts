import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BinaryName, BinaryPaths } from '../plane/options.ts';

const names: readonly BinaryName[] = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'kubectl',
];

export async function findBinaries(): Promise<BinaryPaths> {
  const folder = process.env['KUBEBUILDER_ASSETS'] ?? '';
  const found = Object.fromEntries(names.map((name) => [name, join(folder, name)])) as BinaryPaths;
  for (const file of Object.values(found))
    if (!existsSync(file)) throw new Error(`no ${file}; set KUBEBUILDER_ASSETS`);
  return await Promise.resolve(found);
}
