import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CustomResourceDefinition } from '@atoll/kube';
import { parse } from 'yaml';
import type { Environment } from '../binaries/cache-directory.ts';
import { obtainModule, type GoModule } from './go-module.ts';

/** A project whose kinds others serve or use, and where it keeps its CustomResourceDefinitions. */
export interface OriginalProject extends GoModule {
  /** Inside of the module. */
  readonly folder: string;
}

/** The projects as they published themselves. Nothing of them is in this tree; their files are read when they are needed. */
export const originals = {
  certManager: {
    path: 'github.com/cert-manager/cert-manager',
    version: 'v1.19.1',
    sum: 'h1:Txh8L/nLWTDcb7ZnXuXbTe15BxQnLbLirXmbNk0fGgY=',
    folder: 'deploy/crds',
  },
  /** The last release that is no candidate for one; of later ones the module proxy serves none. */
  extendedDaemonSet: {
    path: 'github.com/DataDog/extendeddaemonset',
    version: 'v0.8.1',
    sum: 'h1:mE8XboHCs4640aRs8wtDRd4qWOY9yxC+KZc16cLL79k=',
    folder: 'config/crd/bases/v1',
  },
  openKruise: {
    path: 'github.com/openkruise/kruise',
    version: 'v1.8.0',
    sum: 'h1:cU5XG9tur17j/CuY+iCTlxOtJ0GNTtJjMLurhh+25YQ=',
    folder: 'config/crd/bases',
  },
  openYurt: {
    path: 'github.com/openyurtio/openyurt',
    version: 'v1.7.0',
    sum: 'h1:yx49z7WPxEBQHbBdBDpJlmlsEJu3wfepG3O2ZM1MpZ4=',
    folder: 'charts/yurt-manager/crds',
  },
  prometheusOperator: {
    path: 'github.com/prometheus-operator/prometheus-operator',
    version: 'v0.85.0',
    sum: 'h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=',
    folder: 'example/prometheus-operator-crd',
  },
  yurtAppManager: {
    path: 'github.com/openyurtio/yurt-app-manager',
    version: 'v0.6.0',
    sum: 'h1:zgPyTyZLDEfiAj7CLy2kfZ2e9Ap6gs1JU/MAnaL26LA=',
    folder: 'charts/yurt-app-manager/crds',
  },
} as const satisfies Readonly<Record<string, OriginalProject>>;

/** The definition of a kind (`clonesets.apps.kruise.io`) as the project publishes it. */
export async function originalDefinition(
  project: OriginalProject,
  name: string,
  environment: Environment = process.env,
): Promise<CustomResourceDefinition> {
  const [plural, ...group] = name.split('.');
  const file = join(
    await obtainModule(project, environment),
    project.folder,
    `${group.join('.')}_${plural}.yaml`,
  );
  return parse(await readFile(file, 'utf8')) as CustomResourceDefinition;
}

/** The files of a folder of the project and of the folders in it, by path inside of the module, in order of that. */
export async function originalFiles(
  project: OriginalProject,
  folder: string,
  suffix: string,
  environment: Environment = process.env,
): Promise<ReadonlyMap<string, string>> {
  const root = await obtainModule(project, environment);
  const names = await readdir(join(root, folder), { recursive: true });
  const paths = names.filter((name) => name.endsWith(suffix)).map((name) => join(folder, name));
  const read = paths
    .toSorted()
    .map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const);
  return new Map(await Promise.all(read));
}
