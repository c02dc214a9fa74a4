import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BinaryName } from '../control-plane/options.ts';
import type { Environment } from './cache-directory.ts';

/** `TEST_ASSET_KUBE_APISERVER` and so on: the names that envtest of controller-runtime reads. */
export function assetVariable(name: BinaryName): string {
  return `TEST_ASSET_${name.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * The binary that the environment names, by a variable of its own or by the folder `KUBEBUILDER_ASSETS`.
 * A variable of its own that names nothing executable is an error; a folder that lacks one binary is not,
 * because envtest's own folders hold three of them only.
 */
export function assetOf(name: BinaryName, environment: Environment): string | undefined {
  const variable = assetVariable(name);
  const own = environment[variable];
  if (own !== undefined && own !== '') {
    if (isExecutable(own)) return own;
    throw new Error(`${variable} is ${own}, which is not an executable file`);
  }
  const folder = environment['KUBEBUILDER_ASSETS'];
  if (folder === undefined || folder === '') return undefined;
  const file = join(folder, name);
  return isExecutable(file) ? file : undefined;
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
