import { expect, it } from 'vitest';
import { deployments } from '@atoll/kube';
import type { KubeObject, Stored } from '@atoll/kube';
import type { Plan } from '../plan.ts';
import { acknowledgesFirst, showsGeneration } from './acknowledgement.ts';
import { statusPlan } from './status-plan.ts';

function parent(status?: object): Stored<KubeObject> {
  const metadata = {
    name: 'web',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    generation: 2,
  };
  return { metadata, ...(status === undefined ? {} : { status }) } as Stored<KubeObject>;
}

const why = { word: 'ChildCreated', message: 'pool a has no child' } as const;
const create = { do: 'create', why, resource: deployments, object: parent(), managed: 'once' } as const;

function plan(...steps: Plan['stages'][number]['steps']): Plan {
  return { stages: [{ name: 'children', steps }], holds: [], targets: [] };
}

it.each([
  ['a new object', plan(create), parent(), true],
  ['a new generation', plan(create), parent({ observedGeneration: 1 }), true],
  ['a generation that the status shows', plan(create), parent({ observedGeneration: 2 }), false],
  ['a plan without steps', plan(), parent(), false],
  ['an object that is gone', plan(create), undefined, false],
])('%s is acknowledged first where something is to be done for it', (_, planned, object, expected) => {
  expect(acknowledgesFirst(planned, object)).toBe(expected);
});

it('a status acknowledges only by the generation that the object has', () => {
  const writes = (observedGeneration: number): Plan =>
    statusPlan([{ resource: deployments, object: parent(), status: { observedGeneration } }]);
  expect(showsGeneration(writes(2), parent())).toBe(true);
  expect(showsGeneration(writes(1), parent())).toBe(false);
  expect(showsGeneration(plan(), parent())).toBe(false);
  expect(showsGeneration(writes(2), undefined)).toBe(false);
});

it('the status of another object acknowledges nothing', () => {
  const { metadata } = parent();
  const object = { metadata: { ...metadata, name: 'db', uid: 'v' } };
  const ofAnother = statusPlan([{ resource: deployments, object, status: { observedGeneration: 2 } }]);
  expect(showsGeneration(ofAnother, parent())).toBe(false);
});
