import { expect, it } from 'vitest';
import { deployments, replicaSets, type KubeObject, type Resource, type Stored } from '@atoll/kube';
import { sameJson } from '../same-meaning.ts';
import { StatusPace } from './status-pace.ts';
import { WriteBudget } from './write-budget.ts';

it('sees a label whose name is that of a method of every object', () => {
  expect(sameJson({}, { constructor: 'x' })).toBe(false);
});

const object = (kind: string, uid: string, status: object): Stored<KubeObject> =>
  ({
    kind,
    metadata: {
      namespace: 'edge',
      name: 'agent',
      uid,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    status,
  }) as never;

it('keeps the moment at which a status is due although an object of another kind has the same name', () => {
  const pace = new StatusPace(new WriteBudget({ perSecond: 0.1, burst: 1 }));
  const a = deployments as Resource<KubeObject>;
  const b = replicaSets as Resource<KubeObject>;
  const owner = object('A', 'u1', { observedGeneration: 1, ready: 1 });
  const other = object('B', 'u2', { observedGeneration: 1 });
  const writes = (ready: number) => [
    { resource: a, object: owner, status: { observedGeneration: 1, ready } },
    { resource: b, object: other, status: { observedGeneration: 1 } },
  ];
  let now = 0;
  pace.sort(writes(2), now); // takes the burst
  let written = false;
  const dues: number[] = [];
  for (let round = 3; round < 20 && !written; round += 1) {
    const { now: going, nextAt } = pace.sort(writes(round), now);
    written = going.length > 0;
    if (nextAt !== undefined) {
      dues.push(nextAt);
      now = nextAt;
    }
  }
  expect({ written, waitsOften: dues.length > 1 }).toEqual({ written: true, waitsOften: false });
});
