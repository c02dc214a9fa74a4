import { daemonSets, systemClock } from '@atoll/kube';
import type { KubeObject, Resource, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { ModelClient } from '../../../simulation/model/model-client.ts';
import { spreads } from '../../../simulation/examples/one-child-per-pool.ts';
import type { StatusWrite } from '../controller.ts';
import { Executor } from '../executor/execute.ts';
import { statusPlan } from './status-plan.ts';

const key = { namespace: 'edge', name: 'web' };
const condition = {
  type: 'atoll.dev/UpToDate',
  status: 'True',
  reason: 'Complete',
  message: 'all pods',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const;

type Written = Omit<StatusWrite, 'resource' | 'object'>;

const whole: Written = { status: { observedGeneration: 1, conditions: [condition] } };
const conditions: Written = {
  ...whole,
  only: { conditions: [condition.type], fieldManager: 'atoll-conditions' },
};

/** Writes a status that was made for an object, after something happened to it; yields what came of it and the status that is there then. */
async function written(
  resource: Resource<KubeObject>,
  write: Written,
  happens: (client: ModelClient) => void,
  mayWrite = true,
): Promise<{ readonly did: string | undefined; readonly status: unknown; readonly sent: number }> {
  const client = new ModelClient();
  const made = { metadata: key, spec: {} } as KubeObject;
  const object = client.put(resource, made);
  happens(client);
  const executor = new Executor({
    client,
    cacheOf: () => undefined,
    undeclared: () => undefined,
    clock: systemClock,
    mayWrite: () => mayWrite,
    fieldManager: 'atoll',
    recordEvent: () => undefined,
  });
  const work = { controller: 'spread', key: 'edge/web', signal: new AbortController().signal };
  const { results } = await executor.execute(statusPlan([{ resource, object, ...write }]), work);
  const { status } = client.stored(resource, key) as Stored<KubeObject> & { readonly status?: unknown };
  return { did: results[0]?.did, status, sent: client.sent.length };
}

/** Another object of the same name, which has the generation and the spec of the one that is gone. */
function madeAgain(resource: Resource<KubeObject>): (client: ModelClient) => void {
  return (client) => {
    client.store = { ...client.store, objects: new Map() };
    client.put(resource, { metadata: key, spec: {} } as KubeObject);
  };
}

it('of the conditions of an object that others write too only those of ours are written', () => {
  const object = {
    metadata: { ...key, uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  };
  const theirs = { ...condition, type: 'Ready' };
  const write = { ...conditions, status: { conditions: [theirs, condition] } };
  const [stage] = statusPlan([{ resource: daemonSets as Resource<KubeObject>, object, ...write }]).stages;
  expect(stage?.steps).toMatchObject([{ do: 'conditions', conditions: [condition] }]);
});

describe.each<[string, Resource<KubeObject>, Written]>([
  ['the status of a kind of ours', spreads as Resource<KubeObject>, whole],
  ['the conditions of a DaemonSet', daemonSets as Resource<KubeObject>, conditions],
])('%s', (_, resource, write) => {
  it('is written onto the object that it was made for', async () => {
    const { did, status } = await written(resource, write, () => undefined);
    expect(did).toBe('done');
    expect(status).toMatchObject({ conditions: [condition] });
  });

  it('never onto another one of the same name', async () => {
    const { did, status } = await written(resource, write, madeAgain(resource));
    expect({ did, status }).toEqual({ did: 'skipped', status: undefined });
  });

  it('and is not sent by a process that does not lead any more', async () => {
    const { status, sent } = await written(resource, write, () => undefined, false);
    expect({ status, sent }).toEqual({ status: undefined, sent: 0 });
  });
});
