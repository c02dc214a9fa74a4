import { deployments, statefulSets } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { expect, it } from 'vitest';
import { stored } from '../engine.fixture.ts';
import { guardOf, nothingToDo, type Guard } from '../plan.ts';
import { guarded } from './guarded.ts';

const resource = deployments as Resource<KubeObject>;
const key = { namespace: 'edge', name: 'web' };
const web = stored(resource, 'web', '1', { generation: 2 });

function guardsOf(guards: readonly Guard[] = [], parent: typeof web | undefined = web): readonly Guard[] {
  return guarded({ ...nothingToDo, guards }, resource, key, parent).guards ?? [];
}

it('a plan without guards is guarded by the uid and the generation of its parent', () => {
  expect(guardsOf()).toEqual([guardOf(resource, web)]);
});

it('a plan for an object that is gone is guarded by its absence', () => {
  expect(guarded(nothingToDo, resource, key, undefined).guards).toMatchObject([{ key, uid: undefined }]);
});

it('the guard of the controller stays where it is for the parent', () => {
  const own = guardOf(resource, web, ['example.com/paused']);
  expect(guardsOf([own])).toEqual([own]);
});

it.each([
  ['another object', guardOf(resource, stored(resource, 'db', '1'))],
  ['an object of another kind', guardOf(statefulSets as Resource<KubeObject>, web)],
])('the parent guards beside %s', (_, other) => {
  expect(guardsOf([other])).toEqual([guardOf(resource, web), other]);
});
