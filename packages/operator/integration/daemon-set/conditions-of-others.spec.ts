import type { Condition } from '@atoll/api';
import {
  createClient,
  daemonSets,
  keyOf,
  loadKubeconfig,
  namespaces,
  type DaemonSet,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { judge } from '../../src/engine/executor/answers/judge.ts';
import { requestFor, type WriteStep } from '../../src/engine/executor/requests/request.ts';
import { Requests } from '../../src/engine/executor/requests/requests.ts';

const namespace = 'conditions-of-others';
const key = { namespace, name: 'agent' };
const patience = { timeout: 90_000, interval: 100 };
const labels = { app: 'agent' };

type ConditionsStep = Extract<WriteStep, { readonly do: 'conditions' }>;

/** DaemonSets are the native controller's: their status is written by it all the time. */
describe('conditions of ours in the status of a DaemonSet', () => {
  let client: StreamingClient;
  let uid: string;

  beforeAll(async () => {
    client = createClient(await loadKubeconfig({ path: inject('kubeconfig') }));
    await client.create(namespaces, { metadata: { name: namespace } });
    const template = { metadata: { labels }, spec: { containers: [{ name: 'agent', image: 'agent:1' }] } };
    const spec = { selector: { matchLabels: labels }, updateStrategy: { type: 'OnDelete' }, template };
    const made = await client.create(daemonSets, { metadata: key, spec } as DaemonSet);
    uid = made.metadata.uid;
    await seenByItsController(1);
  });

  afterAll(async () => {
    await client.delete(namespaces, keyOf({ metadata: { name: namespace } }));
    await client.close();
  });

  const read = async (): Promise<DaemonSet> => client.get(daemonSets, key);
  const seenByItsController = async (generation: number): Promise<void> => {
    await vi.waitUntil(async () => (await read()).status?.observedGeneration === generation, patience);
  };

  function put(conditions: readonly Condition[], of = uid): ConditionsStep {
    const why = { word: 'StatusOutdated', message: 'as observed' } as const;
    const fieldManager = 'atoll-conditions';
    return {
      do: 'conditions',
      why,
      resource: daemonSets as Resource<KubeObject>,
      key,
      uid: of,
      conditions,
      types: conditions.map(({ type }) => type),
      fieldManager,
    };
  }

  async function run(step: WriteStep): Promise<ReturnType<typeof judge>> {
    const requests = new Requests({ client, fieldManager: 'atoll' });
    return judge(step, await requests.send(requestFor(step), new AbortController().signal));
  }

  const ours: Condition = {
    type: 'atoll.dev/UpToDate',
    status: 'False',
    reason: 'RollingOut',
    message: '2 of 6 pods are of the newest template',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };

  it('stand, change and go, and neither side touches what the other wrote', async () => {
    expect(await run(put([ours]))).toMatchObject({ result: { did: 'done' } });
    const { desiredNumberScheduled } = (await read()).status ?? {};
    expect((await read()).status?.conditions).toEqual([ours]);

    await client.patch(daemonSets, key, { type: 'merge', body: { spec: { minReadySeconds: 1 } } });
    await seenByItsController(2);
    expect((await read()).status?.conditions).toEqual([ours]);

    const turned: Condition = { ...ours, status: 'True', reason: 'Complete', message: 'all 6 pods' };
    expect(await run(put([turned]))).toMatchObject({ result: { did: 'done' } });
    const { status } = await read();
    expect(status?.conditions).toEqual([turned]);
    expect([status?.observedGeneration, status?.desiredNumberScheduled]).toEqual([2, desiredNumberScheduled]);

    expect(await run(put([]))).toMatchObject({ result: { did: 'done' } });
    expect((await read()).status?.conditions ?? []).toEqual([]);
  });

  it('of another DaemonSet of that name, or of none, are not written', async () => {
    const another = put([ours], '00000000-0000-0000-0000-000000000000');
    expect(await run(another)).toMatchObject({ result: { did: 'skipped', because: 'plan-outdated' } });
    expect((await read()).status?.conditions ?? []).toEqual([]);
    const gone = { ...put([ours]), key: { namespace, name: 'gone' } };
    expect(await run(gone)).toMatchObject({ result: { did: 'skipped', because: 'plan-outdated' } });
  });
});
