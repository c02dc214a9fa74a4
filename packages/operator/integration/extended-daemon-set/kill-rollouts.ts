// The operator is killed (SIGKILL) and started again in the middle of canaries and rollouts: at every moment no node has two pods, and no more
// nodes are without an available one than maxUnavailable and the canary allow; the audit log shows that each pod was made once. `ATOLL_SEED=n` repeats a run.
import { setTimeout as delay } from 'node:timers/promises';
import { extendedDaemonSets, type ExtendedDaemonSetStatus } from '@atoll/api';
import { createInformer, isReady, pods, type Pod, type Stored, type StreamingClient } from '@atoll/kube';
import { AuditLog, type RunningOperator } from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  operatorUser,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { seeded, seedOf } from '../set-up/random.ts';
import { eventually } from '../set-up/standing.ts';

const namespace = 'default';
const name = 'agent';
const nodeCount = 10;
const maxUnavailable = 2;
const canaryNodes = 1;

/** New templates, one after the other, and how often the operator is killed during each; at least once in its canary and once in its rollout. */
export interface Kills {
  readonly templates: number;
  readonly killsPerTemplate: number;
}

export function killDuringRollouts({ templates, killsPerTemplate }: Kills): void {
  let world: OperatorControlPlane;
  let client: StreamingClient;
  let log: AuditLog;
  let operator: RunningOperator;
  const stop = new AbortController();
  const seen = new Map<string, Stored<Pod>>();
  const worst = { without: 0, twice: 0 };
  let isWatching = false;

  function nodesWithout(): number {
    return nodeCount - [...seen.values()].filter((pod) => isLive(pod) && isReady(pod)).length;
  }

  function look(): void {
    if (!isWatching) return;
    const live = [...seen.values()].filter(isLive);
    const nodes = live.flatMap(({ spec }) => spec?.nodeName ?? []);
    worst.twice = Math.max(worst.twice, nodes.length - new Set(nodes).size, live.length - nodeCount);
    worst.without = Math.max(worst.without, nodesWithout());
  }

  async function statusOf(): Promise<ExtendedDaemonSetStatus | undefined> {
    return (await client.get(extendedDaemonSets, { namespace, name })).status;
  }

  async function setImage(image: string): Promise<void> {
    const body = { spec: { template: { spec: { containers: [{ name: 'agent', image }] } } } };
    await client.patch(extendedDaemonSets, { namespace, name }, { type: 'merge', body });
  }

  async function untilAll(image: string): Promise<void> {
    await eventually(async () => {
      const { items } = await client.list(pods, { namespace });
      const ready = items.filter((pod) => isLive(pod) && isReady(pod));
      expect(ready.map(({ spec }) => spec?.containers[0]?.image)).toEqual(
        Array<string>(nodeCount).fill(image),
      );
      expect(await statusOf()).toMatchObject({ state: 'Running', upToDate: nodeCount, ready: nodeCount });
    });
  }

  /** What the operator has written so far, by verb and resource. */
  async function written() {
    await log.readOn();
    const writes = log.entries.filter(
      ({ user, verb, code, dryRun }) => user === operatorUser && code < 300 && !dryRun && isWrite(verb),
    );
    const counts = Map.groupBy(writes, ({ verb, resource, subresource }) =>
      [verb, resource, subresource ?? ''].join(' ').trim(),
    );
    const ofPods = (verb: string) => counts.get(`${verb} pods`)?.length ?? 0;
    return { counts, created: ofPods('create'), deleted: ofPods('delete') };
  }

  beforeAll(async () => {
    world = await sharedOperatorControlPlane({ fleet: { pools: ['a', 'b'], nodesPerPool: nodeCount / 2 } });
    ({ client } = world);
    await world.controlPlane.nodesReady();
    log = new AuditLog(world.controlPlane.auditLog ?? '');
    const informer = createInformer({ client, resource: pods, indexers: {} });
    informer.subscribe((events) => {
      for (const event of events) {
        if (event.type === 'deleted') seen.delete(event.object.metadata.uid);
        else seen.set(event.object.metadata.uid, event.object);
        look();
      }
    });
    void informer.start(stop.signal);
    operator = await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
  });

  afterAll(async () => {
    stop.abort();
    await log?.close();
    await world?.[Symbol.asyncDispose]();
  });

  it(
    'neither doubles a pod nor breaks the budget, and makes each pod once',
    { timeout: 900_000 },
    async () => {
      const seed = seedOf(process.env['ATOLL_SEED']);
      const random = seeded(seed);
      const kills: string[] = [];
      await client.create(extendedDaemonSets, {
        metadata: { namespace, name },
        spec: {
          strategy: {
            // Batches that are apart, so that there is a rollout to be killed in.
            reconcileFrequency: '1s',
            rollingUpdate: {
              maxUnavailable,
              slowStartIntervalDuration: '1ms',
              slowStartAdditiveIncrease: 250,
            },
            canary: { replicas: canaryNodes, duration: '3s', noRestartsDuration: '0s' },
          },
          template: {
            metadata: { labels: { app: name } },
            spec: { containers: [{ name: 'agent', image: 'agent:0' }] },
          },
        },
      });
      await untilAll('agent:0');
      // Its own watch may be behind the lists.
      await eventually(async () => expect(nodesWithout()).toBe(0));
      isWatching = true;
      for (let template = 1; template <= templates; template += 1) {
        const image = `agent:${template}`;
        const before = (await statusOf())?.activeReplicaSet;
        await setImage(image);
        for (let kill = 0; kill < killsPerTemplate; kill += 1) {
          const inCanary = kill < killsPerTemplate / 2;
          await eventually(async () => {
            const status = await statusOf();
            const isPromoted = status?.activeReplicaSet !== before;
            expect(isPromoted || (inCanary && status?.canary !== undefined)).toBe(true);
          });
          await delay(random() * 900);
          const { state = '', upToDate = 0, canary } = (await statusOf()) ?? {};
          await operator.restart();
          const nodes = canary?.nodes === undefined ? '' : `, canary on ${canary.nodes.join(', ')}`;
          kills.push(`  ${image}: ${state}${nodes}, ${upToDate} of ${nodeCount} up to date`);
        }
        await untilAll(image);
      }
      const wanted = { create: (templates + 1) * nodeCount, delete: templates * nodeCount };
      // The API server writes a line of its audit log after the answer, on a busy machine long after it.
      await eventually(async () => {
        const { created, deleted } = await written();
        if (created < wanted.create || deleted < wanted.delete) throw new Error('lines are missing');
      }).catch(() => undefined);
      const { counts, created, deleted } = await written();
      console.log(
        [
          `seed ${seed}: the operator was killed ${kills.length} times`,
          ...kills,
          'what the audit log has of its writes:',
          ...[...counts].map(([what, entries]) => `  ${entries.length} ${what}`),
        ].join('\n'),
      );
      expect(
        kills.some((line) => line.includes('canary on')),
        'killed during a canary',
      ).toBe(true);
      expect(
        kills.some((line) => !line.includes('canary on')),
        'killed during a rollout',
      ).toBe(true);
      expect(worst.twice, `seed ${seed}`).toBe(0);
      expect(worst.without, `seed ${seed}`).toBeLessThanOrEqual(maxUnavailable + canaryNodes);
      expect(created, `seed ${seed}`).toBe(wanted.create);
      expect(deleted, `seed ${seed}`).toBe(wanted.delete);
    },
  );
}

function isLive({ metadata, status }: Stored<Pod>): boolean {
  return (
    metadata.deletionTimestamp === undefined && status?.phase !== 'Failed' && status?.phase !== 'Succeeded'
  );
}

function isWrite(verb: string): boolean {
  return ['create', 'update', 'patch', 'delete'].includes(verb);
}
