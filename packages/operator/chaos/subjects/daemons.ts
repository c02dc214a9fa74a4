import { daemonSetUpdate, extendedDaemonSets, type ExtendedDaemonSet } from '@atoll/api';
import {
  conditionOf,
  daemonSets,
  isReady,
  nodes,
  pods,
  type DaemonSet,
  type KubeObject,
  type Pod,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { imageOf, namespace, numbered, pick, type Subject } from './subject.ts';

/** Nodes with an agent carry this label. */
export const agentNodeLabel = 'chaos.example/agent';

/** Nodes of the daemons of one number carry this label. */
export const daemonNodeLabel = (index: number): string => `chaos.example/daemon-${index + 1}`;

const leastUnavailable = 3;

/** At most so many nodes of one daemon without an available pod, because of us: a change reaches all nodes in five steps or so. */
export function maxUnavailableOf(nodesOfDaemons: number): number {
  return Math.max(leastUnavailable, Math.ceil(nodesOfDaemons / 5));
}
export const canaryReplicas = 1;

/** The daemon that a pod belongs to; undefined: none of these. */
export function daemonOf({ metadata }: KubeObject): string | undefined {
  const app = metadata.labels?.['app'];
  return app !== undefined && /^(e?ds|ota)-\d+$/.test(app) ? app : undefined;
}

const { annotations, daemonSetConditions } = daemonSetUpdate;

interface DaemonsSeen {
  readonly images: ReadonlyMap<string, string | undefined>;
  readonly open: readonly string[];
}

interface DaemonKind {
  readonly kind: string;
  readonly prefix: string;
  readonly nodeLabel: (index: number) => string;
  create(client: StreamingClient, name: string, index: number): Promise<unknown>;
  setImage(client: StreamingClient, name: string, image: string): Promise<unknown>;
  /** Yields the images that are wanted, by name, and what the objects report that is not as wanted. */
  look(client: StreamingClient): Promise<DaemonsSeen>;
}

/** Daemons of one kind whose images change. */
function daemonSubject(daemon: DaemonKind, count: number): Subject {
  const names = numbered(daemon.prefix, count);
  let version = 0;
  return {
    kind: daemon.kind,
    async create(client) {
      for (const [index, name] of names.entries()) await daemon.create(client, name, index);
    },
    async change(client, random) {
      const name = pick(names, random);
      const image = `agent:${(version += 1)}`;
      await daemon.setImage(client, name, image);
      return `${name} to ${image}`;
    },
    async unsettled(client) {
      const seen = await daemon.look(client);
      const { images } = seen;
      const open = [...seen.open];
      for (const name of names) if (!images.has(name)) open.push(`${name} is gone`);
      const { items: fleet } = await client.list(nodes);
      const { items } = await client.list(pods, { namespace });
      for (const [index, name] of names.entries()) {
        const on = fleet.filter(({ metadata }) => metadata.labels?.[daemon.nodeLabel(index)] === 'yes');
        const live = items.filter(({ metadata }) => metadata.labels?.['app'] === name);
        // A change without an answer may have come all the same.
        const image = images.get(name) ?? '';
        const good = new Set(live.filter((pod) => isAvailable(pod, image)).map(({ spec }) => spec?.nodeName));
        const missing = on.filter(({ metadata }) => !good.has(metadata.name));
        if (missing.length > 0)
          open.push(
            `${name}: ${missing.length} of ${on.length} nodes without ${image}, first ${missing[0]?.metadata.name}`,
          );
        if (live.length !== on.length) open.push(`${name}: ${live.length} pods for ${on.length} nodes`);
      }
      return open;
    },
  };
}

function isAvailable(pod: Stored<Pod>, image: string): boolean {
  const { metadata, spec } = pod;
  return metadata.deletionTimestamp === undefined && isReady(pod) && spec?.containers[0]?.image === image;
}

type PodTemplate = NonNullable<DaemonSet['spec']>['template'];

function podTemplate(name: string, nodeLabel: string, more: Partial<PodTemplate['spec']> = {}): PodTemplate {
  return {
    metadata: { labels: { app: name } },
    spec: {
      ...more,
      nodeSelector: { [nodeLabel]: 'yes' },
      containers: [{ name: 'agent', image: 'agent:0' }],
    },
  };
}

function imagesOf(
  items: readonly Stored<DaemonSet | ExtendedDaemonSet>[],
): ReadonlyMap<string, string | undefined> {
  return new Map(items.map(({ metadata, spec }) => [metadata.name, imageOf(spec?.template)]));
}

function imagePatch(image: string): object {
  return { spec: { template: { spec: { containers: [{ name: 'agent', image }] } } } };
}

/** DaemonSets with AdvancedRollingUpdate. */
export function daemonSetSubject(count: number, maxUnavailable = leastUnavailable): Subject {
  return onDeleteSubject('ds', count, daemonNodeLabel, {
    [annotations.updateStrategy]: 'AdvancedRollingUpdate',
    [annotations.maxUnavailable]: String(maxUnavailable),
  });
}

/** DaemonSets whose pods are upgraded when the owner of the node asks its agent for it. */
export function agentDaemonSubject(count: number): Subject {
  return onDeleteSubject('ota', count, () => agentNodeLabel, { [annotations.updateStrategy]: 'OTA' });
}

function onDeleteSubject(
  prefix: string,
  count: number,
  nodeLabel: (index: number) => string,
  asked: Readonly<Record<string, string>>,
): Subject {
  const names = new Set(numbered(prefix, count));
  return daemonSubject(
    {
      kind: 'DaemonSet',
      prefix,
      nodeLabel,
      create: async (client, name, index) =>
        client.create(daemonSets, {
          metadata: { namespace, name, annotations: asked },
          spec: {
            selector: { matchLabels: { app: name } },
            updateStrategy: { type: 'OnDelete' },
            template: podTemplate(name, nodeLabel(index)),
          },
        }),
      setImage: async (client, name, image) =>
        client.patch(daemonSets, { namespace, name }, { type: 'strategic', body: imagePatch(image) }),
      look: async (client) => {
        const items = (await client.list(daemonSets, { namespace })).items.filter(({ metadata }) =>
          names.has(metadata.name),
        );
        const reported = items.flatMap((each) => {
          const found = conditionOf(each, daemonSetConditions.upToDate);
          return found?.status === 'True'
            ? []
            : [`${each.metadata.name}: ${found?.reason} ${found?.message}`];
        });
        return { images: imagesOf(items), open: reported };
      },
    },
    count,
  );
}

/**
 * ExtendedDaemonSets; every second one tries its template on one node first. Their pods have lasting names and so no grace period: kwok ends pods by
 * name, and where it is late it ends the next one of the name, again and again. A kubelet names the UID.
 */
export function extendedDaemonSetSubject(count: number, maxUnavailable = leastUnavailable): Subject {
  return daemonSubject(
    {
      kind: 'ExtendedDaemonSet',
      prefix: 'eds',
      nodeLabel: daemonNodeLabel,
      create: async (client, name, index) =>
        client.create(extendedDaemonSets, {
          metadata: { namespace, name },
          spec: {
            strategy: {
              reconcileFrequency: '1s',
              rollingUpdate: {
                maxUnavailable,
                slowStartIntervalDuration: '1s',
                slowStartAdditiveIncrease: 10,
              },
              ...(index % 2 === 0
                ? { canary: { replicas: canaryReplicas, duration: '3s', noRestartsDuration: '0s' } }
                : {}),
            },
            template: podTemplate(name, daemonNodeLabel(index), { terminationGracePeriodSeconds: 0 }),
          },
        } as ExtendedDaemonSet),
      setImage: async (client, name, image) =>
        client.patch(extendedDaemonSets, { namespace, name }, { type: 'merge', body: imagePatch(image) }),
      look: async (client) => {
        const { items } = await client.list(extendedDaemonSets, { namespace });
        const reported = items.flatMap(({ metadata, status }) =>
          status?.state === 'Running' &&
          status.upToDate === status.desired &&
          status.available === status.desired
            ? []
            : [`${metadata.name}: ${status?.state}, ${status?.upToDate} of ${status?.desired} up to date`],
        );
        return { images: imagesOf(items), open: reported };
      },
    },
    count,
  );
}
