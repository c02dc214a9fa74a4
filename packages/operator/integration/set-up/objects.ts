import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import {
  labels,
  nodePools,
  unitedDaemonSets,
  yurtAppDaemons,
  type DeploymentTemplate,
  type NodePool,
  type PoolWorkload,
} from '@atoll/api';
import {
  configMaps,
  deployments,
  type Deployment,
  type KubeObject,
  type Resource,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';

/** A pool with a label that workloads of one test select by. */
export function pool(
  name: string,
  groups: Readonly<Record<string, string>>,
  spec: NonNullable<NodePool['spec']> = {},
): NodePool {
  return { metadata: { name, labels: groups }, spec };
}

export interface DaemonShape {
  readonly name: string;
  /** The labels of the pools that it is for. */
  readonly pools: Readonly<Record<string, string>>;
  readonly image?: string;
  /** Left to others where undefined. */
  readonly replicas?: number | undefined;
  /** Fields of the Deployment's spec. */
  readonly deployment?: object;
  /** Fields of the container. */
  readonly container?: object;
}

/** A UnitedDaemonSet or YurtAppDaemon of one small Deployment per pool, in the default namespace. */
export function daemon(shape: DaemonShape): PoolWorkload {
  const { name, pools, image = 'nginx:1.27', replicas, deployment, container } = shape;
  const app = { app: name };
  const template = {
    metadata: { labels: app },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: app },
      template: { metadata: { labels: app }, spec: { containers: [{ name: 'web', image, ...container }] } },
      ...deployment,
    },
  };
  return {
    metadata: { namespace: 'default', name },
    spec: {
      selector: { matchLabels: app },
      nodepoolSelector: { matchLabels: pools },
      workloadTemplate: { deploymentTemplate: template as DeploymentTemplate },
    },
  };
}

/** As `kubectl apply`. */
export async function apply<T extends KubeObject>(
  client: StreamingClient,
  resource: Resource<T>,
  object: T,
): Promise<Stored<T>> {
  return client.apply(resource, object, { fieldManager: 'spec', force: true });
}

/** Another image for the first container, as a person who rolls out. */
export async function setImage(
  client: StreamingClient,
  resource: Resource<PoolWorkload>,
  name: string,
  image: string,
): Promise<void> {
  const path = '/spec/workloadTemplate/deploymentTemplate/spec/template/spec/containers/0/image';
  const body = [{ op: 'replace', path, value: image }] as const;
  await client.patch(resource, { namespace: 'default', name }, { type: 'json', body });
}

/** A workload's Deployments by pool, those that are going left out. */
export async function childrenOf(
  client: StreamingClient,
  workload: string,
): Promise<ReadonlyMap<string, Stored<Deployment>>> {
  const { items } = await client.list(deployments, {
    namespace: 'default',
    labelSelector: `${labels.workload}=${workload}`,
  });
  const live = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return new Map(live.map((child) => [child.metadata.labels?.[labels.poolName] ?? '', child]));
}

export function imageOf(child: Deployment | undefined): string | undefined {
  return child?.spec?.template.spec?.containers[0]?.image;
}

/** The objects of `examples/`, in the order in which a user applies them. */
export function samples(): readonly {
  readonly resource: Resource<KubeObject>;
  readonly object: KubeObject;
}[] {
  const folder = join(import.meta.dirname, '..', '..', '..', '..', 'examples');
  const kinds: readonly Resource<KubeObject>[] = [configMaps, nodePools, unitedDaemonSets, yurtAppDaemons];
  return ['nodepools.yaml', 'united-daemon-set.yaml', 'yurt-app-daemon.yaml'].flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => {
      const object = document.toJS() as KubeObject;
      const resource = kinds.find(({ kind }) => kind === object.kind);
      if (resource === undefined)
        throw new Error(`there is no definition of the kind ${object.kind ?? '(none)'}`);
      return { resource, object };
    }),
  );
}
