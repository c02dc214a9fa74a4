// What OpenKruise's own end-to-end tests of UnitedDeployments ask for, step by step. The numbers are theirs.
import { labels, unitedDeployments, type Subset, type UnitedDeployment } from '@atoll/api';
import { pods, type Pod, type Stored, type StreamingClient } from '@atoll/kube';
import { expect, it } from 'vitest';
import { apply } from '../set-up/objects.ts';
import { eventually } from '../set-up/standing.ts';
import { namespace, patchSpec, setImage, united, type TemplateKind } from '../united-deployment/objects.ts';
import { schedulable, statusOf } from '../united-deployment/standing.ts';

export interface Scenario {
  readonly name: string;
  readonly subsets: readonly Subset[];
  readonly strategy?: object;
  readonly steps: readonly Step[];
}

/** What is done, and what must become of it. Numbers stand in the order of the subsets. */
interface Step {
  readonly does: string;
  readonly replicas?: number;
  readonly subsets?: readonly Subset[];
  readonly image?: string;
  /** Labels that the worker gets. */
  readonly node?: Readonly<Record<string, string>>;
  /** `status.subsetReplicas` */
  readonly subsetReplicas?: readonly number[];
  /** Pods of each subset, those that wait for a node included. */
  readonly pods?: readonly number[];
  /** Pods among them that are kept although they find no node. */
  readonly reserved?: readonly number[];
  /** Whether the condition Schedulable of each subset is False. */
  readonly unschedulable?: readonly boolean[];
}

const patienceMs = 120_000;
const names = (index: number): string => `subset-${index}`;

function subset(index: number, fields: Partial<Subset> = {}): Subset {
  return { name: names(index), ...fields };
}

/** A subset on nodes that bear a label. */
function where(key: string, value: string): Pick<Subset, 'nodeSelectorTerm'> {
  return { nodeSelectorTerm: { matchExpressions: [{ key, operator: 'In', values: [value] }] } };
}

function adaptive(fields: object): object {
  return { type: 'Adaptive', adaptive: fields };
}

/** Both need no node to be away, and take seconds. */
export const allocations: readonly Scenario[] = [
  {
    name: 'ud-elastic-test',
    subsets: [
      subset(0, { minReplicas: 1, maxReplicas: 2 }),
      subset(1, { minReplicas: 1, maxReplicas: 2 }),
      subset(2, { minReplicas: 1 }),
    ],
    steps: [
      { does: 'as many as the minima ask for', replicas: 3, subsetReplicas: [1, 1, 1] },
      { does: 'more than the minima', replicas: 7, subsetReplicas: [2, 2, 3] },
      { does: 'fewer than the minima', replicas: 1, subsetReplicas: [1, 0, 0] },
    ],
  },
  {
    name: 'ud-specific-test',
    subsets: [subset(0, { replicas: '25%' }), subset(1, { replicas: '25%' }), subset(2)],
    steps: [
      { does: 'created', replicas: 3, subsetReplicas: [1, 1, 1] },
      { does: 'scaled up', replicas: 4, subsetReplicas: [1, 1, 2] },
      { does: 'scaled down', replicas: 1, subsetReplicas: [0, 0, 1] },
    ],
  },
];

const [basicKey, minimumKey] = ['ud-e2e/adaptive-ud', 'ud-e2e/adaptive-ud-min'];
const [firstKey, secondKey] = ['ud-e2e/subset-0', 'ud-e2e/subset-1'];
const [firstMinKey, secondMinKey] = ['ud-e2e/subset-min-0', 'ud-e2e/subset-min-1'];

const basic = [
  subset(0, { maxReplicas: 2 }),
  subset(1, { maxReplicas: 2, ...where(basicKey, 'haha') }),
  subset(2),
];

/** They wait for the strategy's seconds, so they take minutes. */
export const adaptations: readonly Scenario[] = [
  {
    name: 'adaptive-ud-elastic-test',
    subsets: basic,
    strategy: adaptive({ rescheduleCriticalSeconds: 10, unschedulableDuration: 10 }),
    steps: [
      {
        does: 'created, one subset without nodes',
        node: { [basicKey]: '' },
        replicas: 3,
        unschedulable: [false, true, false],
        pods: [2, 0, 1],
      },
      { does: 'scaled up while unschedulable', replicas: 5, pods: [2, 0, 3] },
      { does: 'scaled down while unschedulable', replicas: 4, pods: [2, 0, 2] },
      { does: 'recovered', unschedulable: [false, false, false], pods: [2, 0, 2] },
      { does: 'scaled up after recovery', replicas: 5, pods: [2, 1, 2] },
      { does: 'scaled down, the pending pod first', replicas: 4, pods: [2, 0, 2] },
      { does: 'scaled down further', replicas: 3, pods: [2, 0, 1] },
      {
        does: 'scaled up with a new subset',
        subsets: [...basic, subset(3, { minReplicas: 2 })],
        replicas: 6,
        unschedulable: [false, false, false, false],
        pods: [2, 0, 2, 2],
      },
      {
        does: 'given nodes for the second subset',
        node: { [basicKey]: 'haha' },
        unschedulable: [false, false, false, false],
      },
      {
        does: 'relieved of the new subset',
        subsets: basic,
        unschedulable: [false, false, false],
        pods: [2, 2, 2],
      },
      { does: 'scaled down with all nodes there', replicas: 3, pods: [2, 1, 0] },
      { does: 'scaled up with all nodes there', replicas: 5, pods: [2, 2, 1] },
    ],
  },
  {
    name: 'adaptive-ud-with-min',
    subsets: [subset(0, { minReplicas: 1, maxReplicas: 2, ...where(minimumKey, 'haha') }), subset(1)],
    strategy: adaptive({ rescheduleCriticalSeconds: 10, unschedulableDuration: 20 }),
    steps: [
      {
        does: 'created, the minimum without nodes',
        node: { [minimumKey]: '' },
        replicas: 3,
        unschedulable: [true, false],
        pods: [1, 2],
      },
      { does: 'scaled up while unschedulable', replicas: 4, pods: [1, 3] },
      { does: 'scaled down while unschedulable', replicas: 3, pods: [1, 2] },
      { does: 'recovered', node: { [minimumKey]: 'haha' }, unschedulable: [false, false], pods: [1, 2] },
      { does: 'scaled up after recovery', replicas: 5, pods: [2, 3] },
      { does: 'scaled down by one', replicas: 4, pods: [2, 2] },
      { does: 'scaled down by another', replicas: 3, pods: [2, 1] },
      { does: 'scaled down to one', replicas: 1, pods: [1, 0] },
    ],
  },
  {
    name: 'adaptive-ud-tr-test',
    subsets: [subset(0, where(firstKey, 'true')), subset(1, where(secondKey, 'true')), subset(2)],
    strategy: adaptive({
      reserveUnschedulablePods: true,
      rescheduleCriticalSeconds: 20,
      unschedulableDuration: 1,
    }),
    steps: [
      {
        does: 'created, two subsets without nodes',
        node: { [firstKey]: 'false', [secondKey]: 'false' },
        replicas: 2,
        unschedulable: [true, true, false],
        pods: [2, 2, 2],
        reserved: [2, 2, 0],
      },
      { does: 'scaled up while unschedulable', replicas: 4, pods: [2, 2, 4], reserved: [2, 2, 0] },
      { does: 'scaled down while unschedulable', replicas: 2, pods: [2, 2, 2], reserved: [2, 2, 0] },
      { does: 'scaled up again', replicas: 4, pods: [2, 2, 4], reserved: [2, 2, 0] },
      { does: 'given another image', image: 'busybox:1.33', pods: [2, 2, 4], reserved: [2, 2, 0] },
      {
        does: 'given nodes for the first subset',
        node: { [firstKey]: 'true' },
        unschedulable: [false, false, false],
        pods: [4, 0, 0],
        reserved: [0, 0, 0],
      },
      { does: 'scaled up after recovery', replicas: 5, pods: [5, 0, 0], reserved: [0, 0, 0] },
    ],
  },
  {
    name: 'adaptive-ud-tr-min-test',
    subsets: [
      subset(0, { minReplicas: 1, ...where(firstMinKey, 'true') }),
      subset(1, { minReplicas: 1, ...where(secondMinKey, 'true') }),
      subset(2),
    ],
    strategy: adaptive({
      reserveUnschedulablePods: true,
      rescheduleCriticalSeconds: 10,
      unschedulableDuration: 1,
    }),
    steps: [
      {
        does: 'created, two minima without nodes',
        node: { [firstMinKey]: 'false', [secondMinKey]: 'false' },
        replicas: 2,
        unschedulable: [true, true, false],
        pods: [1, 1, 2],
        reserved: [1, 1, 0],
      },
      { does: 'scaled up while unschedulable', replicas: 4, pods: [1, 1, 4], reserved: [1, 1, 0] },
      { does: 'scaled down while unschedulable', replicas: 2, pods: [1, 1, 2], reserved: [1, 1, 0] },
      { does: 'scaled up again', replicas: 4, pods: [1, 1, 4], reserved: [1, 1, 0] },
      { does: 'given another image', image: 'busybox:1.33', pods: [1, 1, 4], reserved: [1, 1, 0] },
      {
        does: 'given nodes for the first subset',
        node: { [firstMinKey]: 'true' },
        unschedulable: [false, true, false],
        pods: [4, 1, 0],
        reserved: [0, 1, 0],
      },
      { does: 'scaled up after recovery', replicas: 5, pods: [5, 1, 0], reserved: [0, 1, 0] },
    ],
  },
];

export interface KruiseWorld {
  readonly client: StreamingClient;
  /** Labels the one worker that the suite uses. */
  readonly labelWorker: (labels: Readonly<Record<string, string>>) => Promise<void>;
}

/** One test for each scenario and kind of children. */
export function kruiseScenarios(
  world: () => KruiseWorld,
  scenarios: readonly Scenario[],
  kinds: readonly TemplateKind[],
): void {
  const cases = scenarios.flatMap((scenario) =>
    kinds.map((kind) => [scenario.name, kind, scenario] as const),
  );
  it.each(cases)('%s with a %s', async (scenarioName, kind, { subsets, strategy, steps }) => {
    const { client, labelWorker } = world();
    const name = `${scenarioName}-${kind.toLowerCase().replace('template', '')}`;
    for (const step of steps) {
      await labelWorker(step.node ?? {});
      if (step === steps[0]) {
        const { replicas } = step;
        const shape = { name, kind, replicas, subsets, ...(strategy === undefined ? {} : { strategy }) };
        await make(client, united(shape), strategy !== undefined);
      } else {
        await change(client, kind, name, step);
      }
      // The subsets' state comes first, as in the suite: it may last for some seconds only.
      for (const look of [seenOfSubsets, seenOfPods]) {
        await eventually(async () => {
          const { found, wanted } = await look(client, name, step);
          expect(found, step.does).toEqual(wanted);
        }, patienceMs);
      }
    }
  });
}

/**
 * How long a pod waits for a node is counted from its creation, in whole seconds, and the suite expects that pods made together are
 * judged together. So an object with the adaptive strategy whose first pods came in two seconds is deleted and made again.
 */
async function make(client: StreamingClient, object: UnitedDeployment, isAdaptive: boolean): Promise<void> {
  const { name } = object.metadata;
  for (let tries = 1; ; tries += 1) {
    await eventually(async () => expect(Date.now() % 1_000).toBeLessThan(200));
    await apply(client, unitedDeployments, object);
    if (!isAdaptive) return;
    const first = await eventually(async () => {
      const { items } = await client.list(pods, { namespace, labelSelector: `app=${name}` });
      expect(items.length).toBeGreaterThanOrEqual(object.spec.replicas ?? 1);
      return items;
    }, patienceMs);
    if (new Set(first.map(({ metadata }) => metadata.creationTimestamp)).size === 1) return;
    expect(tries, 'pods are made within one second').toBeLessThan(10);
    await client.delete(unitedDeployments, { namespace, name }, { propagationPolicy: 'Foreground' });
    await eventually(async () => {
      const { items } = await client.list(pods, { namespace, labelSelector: `app=${name}` });
      expect(items).toEqual([]);
      await expect(client.get(unitedDeployments, { namespace, name })).rejects.toMatchObject({
        reason: 'NotFound',
      });
    }, patienceMs);
  }
}

async function change(
  client: StreamingClient,
  kind: TemplateKind,
  name: string,
  { subsets, image, replicas }: Step,
): Promise<void> {
  if (subsets !== undefined) await patchSpec(client, name, { topology: { subsets } });
  if (image !== undefined) await setImage(client, name, image, kind);
  if (replicas !== undefined) await patchSpec(client, name, { replicas });
}

interface Seen {
  readonly found: object;
  readonly wanted: object;
}

async function seenOfSubsets(
  client: StreamingClient,
  name: string,
  { replicas, subsetReplicas, unschedulable }: Step,
): Promise<Seen> {
  const status = await statusOf(client, name);
  const stateOf = await schedulable(client, name);
  const found = {
    unschedulable: unschedulable?.map((_, index) => stateOf[names(index)] === 'False'),
    ...(subsetReplicas === undefined
      ? {}
      : { replicas: status.replicas, subsetReplicas: status.subsetReplicas }),
  };
  const wanted = {
    unschedulable,
    ...(subsetReplicas === undefined
      ? {}
      : {
          replicas,
          subsetReplicas: Object.fromEntries(subsetReplicas.map((count, index) => [names(index), count])),
        }),
  };
  return { found, wanted };
}

async function seenOfPods(
  client: StreamingClient,
  name: string,
  { pods: counts, reserved, image }: Step,
): Promise<Seen> {
  const { items } = await client.list(pods, { namespace, labelSelector: `app=${name}` });
  const living = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const inSubset = (index: number): readonly Stored<Pod>[] =>
    living.filter(({ metadata }) => metadata.labels?.[labels.subsetName] === names(index));
  const isReserved = ({ metadata }: Stored<Pod>): boolean => metadata.labels?.[labels.reservedPod] === 'true';
  const images = new Set(living.map(({ spec }) => spec?.containers[0]?.image));
  return {
    found: {
      pods: counts?.map((_, index) => inSubset(index).length),
      reserved: reserved?.map((_, index) => inSubset(index).filter(isReserved).length),
      images: image === undefined ? undefined : [...images],
    },
    wanted: { pods: counts, reserved, images: image === undefined ? undefined : [image] },
  };
}
