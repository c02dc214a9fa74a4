// DaemonSets with the update strategy OnDelete on a real control plane: the DaemonSet controller makes the pods, the scheduler binds
// them, kwok plays the kubelets, and the operator decides which outdated pod goes, and when.
import { setTimeout as delay } from 'node:timers/promises';
import { daemonSetUpdate } from '@atoll/api';
import {
  controllerRevisions,
  createInformer,
  daemonSets,
  deployments,
  isReady,
  jobs,
  keyOf,
  nodes,
  podDisruptionBudgets,
  pods,
  resourceQuotas,
} from '@atoll/kube';
import type { DaemonSet, Deployment, Node, Pod, Stored, StreamingClient } from '@atoll/kube';
import { AuditLog, type RunningOperator } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enforcedQuota } from '../set-up/enforced-quota.ts';
import { runDocumented } from '../set-up/documented-commands.ts';
import {
  operatorUser,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { seeded, seedOf } from '../set-up/random.ts';
import { eventsAbout, eventually, type StandingCondition } from '../set-up/standing.ts';

const { annotations, podConditions, nodeLabels } = daemonSetUpdate;
const namespace = 'default';
const nodeCount = 8;
/** 25 % of 8, or of 7, rounded up. */
const budget = 2;

let world: OperatorControlPlane;
let client: StreamingClient;
let log: AuditLog;
let watched: BudgetWatch;
let operator: RunningOperator;

/** The pods of one app and the nodes, as the API server sends them, one change after the other. */
class BudgetWatch implements AsyncDisposable {
  readonly #pods = new Map<string, Stored<Pod>>();
  readonly #nodes = new Map<string, Stored<Node>>();
  readonly #stop = new AbortController();
  readonly #runs: Promise<unknown>[] = [];
  /** The most nodes that were Ready and had no available pod, since the last reset. */
  worst = 0;

  constructor(streaming: StreamingClient) {
    const of = { client: streaming, indexers: {} };
    const podInformer = createInformer({ ...of, resource: pods });
    const nodeInformer = createInformer({ ...of, resource: nodes });
    podInformer.subscribe((events) => {
      for (const event of events) {
        if (event.type === 'deleted') this.#pods.delete(event.object.metadata.name);
        else this.#pods.set(event.object.metadata.name, event.object);
        this.#look();
      }
    });
    nodeInformer.subscribe((events) => {
      for (const event of events) {
        if (event.type === 'deleted') this.#nodes.delete(event.object.metadata.name);
        else this.#nodes.set(event.object.metadata.name, event.object);
      }
    });
    this.#runs.push(podInformer.start(this.#stop.signal), nodeInformer.start(this.#stop.signal));
  }

  app = '';

  /** Resolves when all pods of the app are seen as they are now, and available: from then on it is watched. */
  async watch(app: string): Promise<void> {
    this.app = app;
    const present = await podsOf(app);
    while (this.#nodes.size < nodeCount || this.#isBehind(present) || this.#down().length > 0)
      await delay(20);
    this.worst = 0;
  }

  /** What happened before would be seen as if it came later. */
  #isBehind(present: readonly Stored<Pod>[]): boolean {
    const versionOf = (pod: Stored<Pod> | undefined): number => Number(pod?.metadata.resourceVersion ?? 0);
    return present.some((pod) => versionOf(this.#pods.get(pod.metadata.name)) < versionOf(pod));
  }

  #look(): void {
    if (this.app !== '') this.worst = Math.max(this.worst, this.#down().length);
  }

  /** Nodes that are Ready and have no available pod. */
  #down(): readonly string[] {
    const served = new Set(
      [...this.#pods.values()]
        .filter((pod) => pod.metadata.labels?.['app'] === this.app && isAvailable(pod))
        .map(({ spec }) => spec?.nodeName),
    );
    const ready = [...this.#nodes.values()].filter(isReady).map(({ metadata }) => metadata.name);
    return ready.filter((node) => !served.has(node));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#runs);
  }
}

function isAvailable(pod: Stored<Pod>): boolean {
  return pod.metadata.deletionTimestamp === undefined && isReady(pod);
}

function agent(app: string, asked: Readonly<Record<string, string>>, image = 'agent:1'): DaemonSet {
  const labels = { app };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'agent', image }] } };
  return {
    metadata: { namespace, name: app, annotations: asked },
    spec: { selector: { matchLabels: labels }, updateStrategy: { type: 'OnDelete' }, template },
  };
}

const rolling = {
  [annotations.updateStrategy]: 'AdvancedRollingUpdate',
  [annotations.maxUnavailable]: '25%',
};

async function setImage(app: string, image: string): Promise<void> {
  const body = { spec: { template: { spec: { containers: [{ name: 'agent', image }] } } } };
  await client.patch(daemonSets, { namespace, name: app }, { type: 'strategic', body });
}

async function annotate(app: string, asked: Readonly<Record<string, string | null>>): Promise<void> {
  const body = { metadata: { annotations: asked } };
  await client.patch(daemonSets, { namespace, name: app }, { type: 'merge', body });
}

async function podsOf(app: string): Promise<readonly Stored<Pod>[]> {
  const { items } = await client.list(pods, { namespace, labelSelector: `app=${app}` });
  return items;
}

async function imagesOf(app: string): Promise<readonly string[]> {
  const found = (await podsOf(app)).filter(isAvailable);
  return found.map(({ spec }) => spec?.containers[0]?.image ?? '').sort();
}

async function conditionsOf(app: string): Promise<Readonly<Record<string, StandingCondition>>> {
  const { status } = await client.get(daemonSets, { namespace, name: app });
  return Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status: value, reason = '', message = '' }) => [
      type,
      { status: value, reason, message },
    ]),
  );
}

const upToDate = 'atoll.dev/UpToDate';
const held = 'atoll.dev/Held';

async function untilUpToDate(app: string, image: string): Promise<void> {
  await eventually(async () => {
    expect(await imagesOf(app)).toEqual(Array<string>(nodeCount).fill(image));
    expect(await conditionsOf(app)).toMatchObject({
      [upToDate]: { status: 'True', reason: 'RolloutComplete' },
      [held]: { status: 'False' },
    });
  });
}

/** Those that were received from then on: the line of an earlier one may be written later. */
async function deletionsOf(app: string, since = 0): Promise<number> {
  await log.readOn();
  return log.entries.filter(
    ({ user, verb, resource, code, name, receivedAt }) =>
      user === operatorUser &&
      verb === 'delete' &&
      resource === 'pods' &&
      code === 200 &&
      receivedAt >= since &&
      name?.startsWith(app),
  ).length;
}

/** The API server writes a line of its audit log after the answer, on a busy machine long after it. */
async function hasDeleted(app: string, count: number): Promise<void> {
  await eventually(async () => expect(await deletionsOf(app)).toBe(count));
}

/** Events are sent after the status is written, one after the other. */
async function hasEvents(name: string, ...wanted: readonly string[]): Promise<void> {
  await eventually(async () => {
    const reasons = (await eventsAbout(client, name)).map(({ reason }) => reason);
    expect(reasons).toEqual(expect.arrayContaining([...wanted]));
  });
}

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['a', 'b'], nodesPerPool: nodeCount / 2 } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  log = new AuditLog(world.controlPlane.auditLog ?? '');
  watched = new BudgetWatch(client);
  operator = await world.start({
    args: [...withoutElection, '--controllers=daemon-set-upgrade,image-pre-pull'],
  });
}, 120_000);

afterAll(async () => {
  await watched?.[Symbol.asyncDispose]();
  await log?.close();
  await world?.[Symbol.asyncDispose]();
});

describe('AdvancedRollingUpdate', () => {
  const app = 'rolls';

  beforeAll(async () => {
    await client.create(daemonSets, agent(app, rolling));
    await untilUpToDate(app, 'agent:1');
  });

  it('replaces every pod once, and never more than the budget at a time', async () => {
    await watched.watch(app);
    await setImage(app, 'agent:2');
    await untilUpToDate(app, 'agent:2');
    expect(watched.worst).toBe(budget);
    await hasDeleted(app, nodeCount);
    await hasEvents(app, 'SuccessfulDelete', 'RolloutComplete');
    // As people wait for it, and look.
    const { kubeconfig } = world.controlPlane;
    await runDocumented(`kubectl wait ds/${app} --for=condition=${upToDate} --timeout=1m`, kubeconfig);
    await runDocumented(`kubectl describe ds ${app} | grep RolloutComplete`, kubeconfig);
  });

  it('goes on without a node that is away, names it, and upgrades it when it is back', async () => {
    await world.controlPlane.reportNodes(['a-node-1'], 'NotReady');
    await eventually(async () => {
      const node = await client.get(nodes, { name: 'a-node-1' });
      expect(isReady(node)).toBe(false);
    });
    await setImage(app, 'agent:3');
    await eventually(async () => {
      expect((await imagesOf(app)).filter((image) => image === 'agent:3')).toHaveLength(nodeCount - 1);
      expect(await conditionsOf(app)).toMatchObject({
        [upToDate]: {
          status: 'False',
          reason: 'NodeNotReady',
          message:
            '7 of 8 nodes run the current template and their pods are available; a-node-1: waiting until the node is Ready again',
        },
        [held]: { status: 'True', reason: 'NodeNotReady' },
      });
    });
    await world.controlPlane.reportNodes(['a-node-1'], 'Ready');
    await untilUpToDate(app, 'agent:3');
  });

  it('stops at a template that does not become ready, two quick ones included, and repairs broken nodes first', async () => {
    await watched.watch(app);
    await setImage(app, 'agent:bad-never-ready');
    await setImage(app, 'agent:bad-never-ready-too');
    await eventually(async () => {
      // Later it reports what was found in the pods.
      const reason = expect.stringMatching(/^(MaxUnavailableReached|ContainersNotReady)$/);
      expect(await conditionsOf(app)).toMatchObject({ [upToDate]: { status: 'False', reason } });
      expect(await imagesOf(app)).toHaveLength(nodeCount - budget);
      const metrics = await (await fetch(`${operator.url}/metrics`)).text();
      expect(metrics).toContain(
        'atoll_holds{controller="daemon-set-upgrade",reason="MaxUnavailableReached"} 1',
      );
    });
    await setImage(app, 'agent:4');
    await untilUpToDate(app, 'agent:4');
    expect(watched.worst).toBe(budget);
  });

  it('names why its pods do not become available, in conditions and in one event', async () => {
    await setImage(app, 'agent:bad-pull');
    const message = expect.stringMatching(
      /pod \S+ on node [ab]-node-\d.*: container agent cannot pull its image agent:bad-pull/,
    );
    await eventually(async () => {
      expect(await conditionsOf(app)).toMatchObject({
        [upToDate]: { status: 'False', reason: 'ImagePullBackOff', message },
        [held]: { status: 'True', reason: 'ImagePullBackOff', message },
      });
      const found = (await eventsAbout(client, app)).filter(({ reason }) => reason === 'ImagePullBackOff');
      expect(found).toHaveLength(1);
    });
    await setImage(app, 'agent:good');
    await untilUpToDate(app, 'agent:good');
  });

  it('keeps the budget while the operator is killed and started again in the middle of rollouts', async () => {
    const seed = seedOf(process.env['ATOLL_SEED']);
    const random = seeded(seed);
    await watched.watch(app);
    for (const round of [1, 2, 3]) {
      await setImage(app, `agent:killed-${round}`);
      await delay(random() * 600);
      await operator.restart();
      // A second change, before the first one is through.
      await setImage(app, `agent:killed-${round}-again`);
      await delay(random() * 600);
      await operator.restart();
    }
    await untilUpToDate(app, 'agent:killed-3-again');
    expect(watched.worst, `seed ${seed}`).toBeLessThanOrEqual(budget);
  });

  it('goes back to a revision that was there before', async () => {
    // The controller of DaemonSets keeps ten beside the one that runs, and takes the oldest away some time after the rollout.
    const items = await eventually(async () => {
      const list = await client.list(controllerRevisions, { namespace });
      expect(list.items.length).toBeLessThanOrEqual(11);
      return list.items;
    });
    await setImage(app, 'agent:4');
    await untilUpToDate(app, 'agent:4');
    expect((await client.list(controllerRevisions, { namespace })).items).toHaveLength(items.length);
  });

  it('is paused by an annotation, and a node is left out by a label', async () => {
    await annotate(app, { [annotations.rolloutPaused]: 'true' });
    await setImage(app, 'agent:5');
    await eventually(async () => {
      expect(await conditionsOf(app)).toMatchObject({ [held]: { status: 'True', reason: 'Paused' } });
    });
    expect(await imagesOf(app)).toEqual(Array<string>(nodeCount).fill('agent:4'));
    // Events and metrics say it in the same word.
    await hasEvents(app, 'Paused');
    const metrics = await (await fetch(`${operator.url}/metrics`)).text();
    expect(metrics).toContain('atoll_holds{controller="daemon-set-upgrade",reason="Paused"} 1');
    expect(metrics).toMatch(
      /atoll_steps_total\{controller="daemon-set-upgrade",step="delete",reason="PodOutdated"/,
    );
    await world.controlPlane.labelNodes(['b-node-2'], { [nodeLabels.excluded]: 'true' });
    await annotate(app, { [annotations.rolloutPaused]: null });
    await eventually(async () => {
      expect((await imagesOf(app)).filter((image) => image === 'agent:5')).toHaveLength(nodeCount - 1);
      expect(await conditionsOf(app)).toMatchObject({
        [held]: { reason: 'NodeExcluded', message: expect.stringContaining('b-node-2') },
      });
    });
    await world.controlPlane.labelNodes(['b-node-2'], { [nodeLabels.excluded]: null });
    await untilUpToDate(app, 'agent:5');
  });

  it('keeps a PodDisruptionBudget where the annotation asks for it', async () => {
    const budgets = podDisruptionBudgets;
    const selector = { matchLabels: { app } };
    await client.create(budgets, {
      metadata: { namespace, name: app },
      spec: { minAvailable: nodeCount, selector },
    });
    await eventually(async () => {
      const { status } = await client.get(budgets, { namespace, name: app });
      expect(status).toMatchObject({ currentHealthy: nodeCount, disruptionsAllowed: 0 });
    });
    await annotate(app, { [annotations.respectDisruptionBudgets]: 'true' });
    const since = Date.now();
    await setImage(app, 'agent:budget');
    await eventually(async () => {
      expect(await conditionsOf(app)).toMatchObject({
        [held]: { status: 'True', reason: 'DisruptionBudget' },
      });
    });
    expect(await imagesOf(app)).toEqual(Array<string>(nodeCount).fill('agent:5'));
    await client.patch(
      budgets,
      { namespace, name: app },
      { type: 'merge', body: { spec: { minAvailable: 5 } } },
    );
    await untilUpToDate(app, 'agent:budget');
    expect(await deletionsOf(app, since)).toBe(0);
    await annotate(app, { [annotations.respectDisruptionBudgets]: null });
    await setImage(app, 'agent:5');
    await untilUpToDate(app, 'agent:5');
  });

  it('does nothing where the annotations cannot be used, and reports what to correct', async () => {
    await annotate(app, { [annotations.maxUnavailable]: 'some' });
    await setImage(app, 'agent:6');
    await eventually(async () => {
      expect(await conditionsOf(app)).toMatchObject({
        [held]: {
          reason: 'InvalidUpgradeStrategy',
          message:
            'the annotation apps.openyurt.io/max-unavailable is "some". Use a whole number like 3, or a percentage like 10%',
        },
        Stalled: { status: 'True' },
      });
    });
    expect(await imagesOf(app)).toEqual(Array<string>(nodeCount).fill('agent:5'));
    await annotate(app, { [annotations.maxUnavailable]: '1' });
    await untilUpToDate(app, 'agent:6');
    expect(await conditionsOf(app)).not.toHaveProperty('Stalled');
  });
});

describe('OTA', () => {
  const app = 'asks';

  const needs = async (): Promise<readonly (string | undefined)[]> =>
    (await podsOf(app)).map(
      ({ status }) => status?.conditions?.find(({ type }) => type === podConditions.needUpgrade)?.status,
    );

  const conditionOf = async ({ metadata: { name } }: Stored<Pod>, wanted: string) => {
    const { status } = await client.get(pods, { namespace, name });
    return status?.conditions?.find(({ type }) => type === wanted);
  };
  const imageReady = async (pod: Stored<Pod>) => conditionOf(pod, podConditions.imageReady);
  const offered = async (pod: Stored<Pod>) => (await conditionOf(pod, podConditions.needUpgrade))?.message;

  /** As the node agent does. */
  const askForImages = async (pod: Stored<Pod>): Promise<void> => {
    const message = await offered(pod);
    const condition = { type: podConditions.imageReady, status: 'False', reason: null, message };
    const patch = { type: 'strategic', body: { status: { conditions: [condition] } } } as const;
    await client.patch(pods, { namespace, name: pod.metadata.name }, patch, { subresource: 'status' });
  };

  it('writes on each pod whether it is outdated, and deletes none', async () => {
    await client.create(daemonSets, agent(app, { [annotations.upgradeStrategy]: 'ota' }));
    await untilUpToDate(app, 'agent:1');
    await eventually(async () => expect(await needs()).toEqual(Array<string>(nodeCount).fill('False')));
    await setImage(app, 'agent:2');
    await eventually(async () => expect(await needs()).toEqual(Array<string>(nodeCount).fill('True')));
    const [pod] = await podsOf(app);
    const condition = pod?.status?.conditions?.find(({ type }) => type === podConditions.needUpgrade);
    expect(condition?.message).toMatch(/^controllerrevision: [a-z0-9]+$/);
    expect(pod?.status?.conditions?.some(({ type }) => type === 'Ready')).toBe(true);
    await eventually(async () =>
      expect(await conditionsOf(app)).toMatchObject({
        [upToDate]: { status: 'False', reason: 'UpgradeAvailable' },
      }),
    );
    expect(await deletionsOf(app)).toBe(0);
  });

  it('pulls the images where the owner of a node asks for them, and writes whether they are there', async () => {
    const [first] = await podsOf(app);
    if (first === undefined) throw new Error(`${app} has no pods`);
    await askForImages(first);
    await eventually(async () =>
      expect(await imageReady(first)).toMatchObject({
        status: 'True',
        reason: 'PullImageSuccess',
        message: expect.stringMatching(/^controllerrevision: [a-z0-9]+$/) as string,
      }),
    );
    await eventually(async () => expect((await client.list(jobs, { namespace })).items).toEqual([]));
    await hasEvents(first.metadata.name, 'ImagePullStarted', 'PullImageSuccess');
  });

  it('pulls as the new pod will, leaves the other pods alone, and gives up what is not asked for any more', async () => {
    const [first] = await podsOf(app);
    if (first === undefined) throw new Error(`${app} has no pods`);
    const before = await offered(first);
    await setImage(app, 'agent:bad-pull');
    await eventually(async () => expect(await offered(first)).not.toEqual(before));
    await askForImages(first);
    const made = await eventually(async () => {
      const { items } = await client.list(pods, { namespace, labelSelector: 'atoll.dev/image-pre-pull' });
      expect(items[0]?.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('ImagePullBackOff');
      return items;
    });
    expect(made.map(({ spec }) => [spec?.nodeName, spec?.containers.map(({ image }) => image)])).toEqual([
      [first.spec?.nodeName, ['agent:bad-pull']],
    ]);
    expect(await imageReady(first)).not.toHaveProperty('reason');
    await setImage(app, 'agent:2');
    await eventually(async () => expect((await client.list(jobs, { namespace })).items).toEqual([]));
    await eventually(async () =>
      expect(await imageReady(first)).toMatchObject({
        status: 'False',
        reason: 'PullImageFail',
        message: expect.stringMatching(/^the template changed: /) as string,
      }),
    );
  });

  it('answers with the words of the API server where that refuses the Job, and pulls when it is asked again', async () => {
    const [first] = await podsOf(app);
    if (first === undefined) throw new Error(`${app} has no pods`);
    const quota = { namespace, name: 'no-jobs' };
    await enforcedQuota(client, quota, { 'count/jobs.batch': '0' });
    await askForImages(first);
    await eventually(async () =>
      expect(await imageReady(first)).toMatchObject({
        status: 'False',
        reason: 'PullImageFail',
        message: expect.stringMatching(/ was refused: .*exceeded quota: no-jobs/) as string,
      }),
    );
    await client.delete(resourceQuotas, quota);
    await eventually(async () => {
      await askForImages(first);
      await eventually(async () => expect(await imageReady(first)).toHaveProperty('reason'));
      expect(await imageReady(first)).toMatchObject({ status: 'True', reason: 'PullImageSuccess' });
    });
  });

  it('keeps a request while the rollout is paused, and answers it afterwards', async () => {
    const [, second] = await podsOf(app);
    if (second === undefined) throw new Error(`${app} has one pod`);
    const message = await offered(second);
    await annotate(app, { [annotations.rolloutPaused]: 'true' });
    await eventually(async () => expect(await offered(second)).toBeUndefined());
    const condition = { type: podConditions.imageReady, status: 'False', reason: null, message };
    const patch = { type: 'strategic', body: { status: { conditions: [condition] } } } as const;
    await client.patch(pods, keyOf(second), patch, { subresource: 'status' });
    await annotate(app, { [annotations.rolloutPaused]: null });
    await eventually(async () =>
      expect(await imageReady(second)).toMatchObject({ status: 'True', reason: 'PullImageSuccess' }),
    );
  });

  it('is taken off with everything that it left when the annotation goes', async () => {
    await annotate(app, { [annotations.upgradeStrategy]: null });
    await eventually(async () => {
      expect(await needs()).toEqual(Array<undefined>(nodeCount).fill(undefined));
      for (const pod of await podsOf(app)) expect(await imageReady(pod)).toBeUndefined();
      expect(await conditionsOf(app)).toEqual({});
    });
  });
});

describe('a rollout that an older operator left half way', () => {
  const app = 'left';
  const labels = { app: 'yurt-manager' };
  const yurtManager: Deployment = {
    metadata: { namespace: 'kube-system', name: 'yurt-manager' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'm', image: 'yurt-manager:1' }] } },
    },
  };

  /** Deletes some pods, as that operator did, and waits for the new ones. */
  async function upgradeSome(image: string): Promise<readonly string[]> {
    await setImage(app, image);
    // Its controller sees a pod that is gone and the new template by two watches.
    await eventually(async () => {
      const { metadata, status } = await client.get(daemonSets, { namespace, name: app });
      expect(status?.observedGeneration).toBe(metadata.generation);
    });
    const chosen = (await podsOf(app)).slice(0, 3);
    for (const { metadata } of chosen) await client.delete(pods, { namespace, name: metadata.name });
    await eventually(async () => {
      expect((await imagesOf(app)).filter((each) => each === image)).toHaveLength(chosen.length);
      expect(await imagesOf(app)).toHaveLength(nodeCount);
    });
    const found = (await podsOf(app)).filter(({ spec }) => spec?.containers[0]?.image === image);
    return found.map(({ metadata }) => metadata.uid).sort();
  }

  it('goes on where it stands, and no pod of the new template is restarted', async () => {
    await operator.kill();
    await client.create(daemonSets, agent(app, {}));
    await eventually(async () => expect(await imagesOf(app)).toHaveLength(nodeCount));
    const upgraded = await upgradeSome('agent:2');
    await annotate(app, rolling);
    // Its manager is still there.
    await client.create(deployments, yurtManager);
    await operator.restart();
    await eventually(async () => {
      expect(await conditionsOf(app)).toMatchObject({
        [held]: {
          status: 'True',
          reason: 'ServedByYurtManager',
          message: expect.stringContaining('Deployment kube-system/yurt-manager') as string,
        },
        Stalled: { status: 'True' },
      });
    });
    expect(await deletionsOf(app)).toBe(0);
    const scale = { type: 'merge', body: { spec: { replicas: 0 } } } as const;
    await client.patch(deployments, keyOf(yurtManager), scale);
    await untilUpToDate(app, 'agent:2');
    expect(await conditionsOf(app)).not.toHaveProperty('Stalled');
    await client.delete(deployments, keyOf(yurtManager));
    await hasDeleted(app, nodeCount - upgraded.length);
    expect((await podsOf(app)).map(({ metadata }) => metadata.uid)).toEqual(
      expect.arrayContaining([...upgraded]),
    );
  });

  it('with OTA keeps every pod, and writes on each whether it is outdated', async () => {
    await operator.kill();
    await annotate(app, { [annotations.updateStrategy]: 'OTA' });
    await upgradeSome('agent:3');
    // As releases before v1.7 wrote it: without a message. One of them is of an earlier template.
    const before = await podsOf(app);
    for (const { metadata, spec } of before) {
      const isOld = spec?.containers[0]?.image === 'agent:2';
      const condition = { type: podConditions.needUpgrade, status: isOld ? 'False' : 'True' };
      const patch = { type: 'strategic', body: { status: { conditions: [condition] } } } as const;
      await client.patch(pods, { namespace, name: metadata.name }, patch, { subresource: 'status' });
    }
    const since = Date.now();
    await operator.restart();
    await eventually(async () => {
      for (const { spec, status } of await podsOf(app)) {
        const isOld = spec?.containers[0]?.image === 'agent:2';
        expect(status?.conditions?.find(({ type }) => type === podConditions.needUpgrade)).toMatchObject({
          status: isOld ? 'True' : 'False',
          message: expect.stringContaining('controllerrevision: ') as string,
        });
      }
    });
    const uids = (found: readonly Stored<Pod>[]) => found.map(({ metadata }) => metadata.uid).sort();
    expect(uids(await podsOf(app))).toEqual(uids(before));
    expect(await deletionsOf(app, since)).toBe(0);
  });
});
