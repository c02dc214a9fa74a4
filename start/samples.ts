import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import {
  extendedDaemonSets,
  nodePools,
  unitedDaemonSets,
  unitedDeployments,
  yurtAppDaemons,
} from '@atoll/api';
import { configMaps, daemonSets, type Client, type KubeObject, type Resource } from '@atoll/kube';

const folder = join(import.meta.dirname, '..', 'examples');
/** The samples of the proposals, pools first, and what is spread over the zones that the pools' nodes are in. */
const files = [
  'nodepools.yaml',
  'united-daemon-set.yaml',
  'yurt-app-daemon.yaml',
  'united-deployment-zones.yaml',
  'daemon-set-ota.yaml',
  'extended-daemon-set-canary.yaml',
];

const resources: readonly Resource<KubeObject>[] = [
  configMaps,
  nodePools,
  unitedDaemonSets,
  yurtAppDaemons,
  unitedDeployments,
  daemonSets,
  extendedDaemonSets,
].map((resource) => resource as Resource<KubeObject>);

export interface Sample {
  readonly resource: Resource<KubeObject>;
  readonly object: KubeObject;
}

/** The objects of `examples/`, as a user would `kubectl apply` them. */
export function readSamples(): readonly Sample[] {
  return files.flatMap((file) => {
    const documents = parseAllDocuments(readFileSync(join(folder, file), 'utf8'));
    return documents.map((document) => {
      const object = document.toJS() as KubeObject;
      const resource = resources.find((each) => each.kind === object.kind);
      if (resource === undefined)
        throw new Error(`examples/${file}: there is no definition of the kind ${object.kind ?? '(none)'}`);
      return { resource, object };
    });
  });
}

/** Names of the pools that the samples define, in their order. */
export function poolsOf(samples: readonly Sample[]): readonly string[] {
  return samples
    .filter((sample) => sample.resource.kind === nodePools.kind)
    .map((sample) => sample.object.metadata.name);
}

export async function applySamples(
  client: Client,
  samples: readonly Sample[],
  signal: AbortSignal,
): Promise<void> {
  for (const { resource, object } of samples) {
    await client.apply(resource, object, { fieldManager: 'npm-start', force: true, signal });
  }
}
