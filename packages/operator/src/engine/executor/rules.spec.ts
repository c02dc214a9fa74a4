import { expect, it } from 'vitest';
import { ApiError, groupResourceOf, nodes } from '@atoll/kube';
import type { KubeObject, Node, Resource, Stored } from '@atoll/kube';
import { children, spreads } from '../../../simulation/examples/one-child-per-pool.ts';
import { guardOfAbsent, nothingToDo } from '../plan.ts';
import { nodeSeenAs } from '../steps/seen.ts';
import type { Facts } from './facts.ts';
import type { WriteStep } from './requests/request.ts';
import { executionRules } from './rules.ts';

const unanswered = new ApiError({
  fate: 'in-doubt',
  code: 0,
  reason: 'Timeout',
  attempted: 'patch',
  message: 'no answer',
});

interface Over {
  readonly ready?: string;
  readonly taints?: readonly { readonly key: string; readonly effect: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
}

function node({ ready = 'True', taints = [], annotations = {} }: Over = {}): Stored<Node> {
  const identity = { name: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  return {
    metadata: { ...identity, labels: { zone: 'a' }, annotations },
    spec: { taints },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  } as unknown as Stored<Node>;
}

const asSeen = { nodeSeen: nodeSeenAs(node({ annotations: { 'own/a': '1', other: '1' } }), 'own/') };
const whileReady = { whileReady: { name: 'n' } };
const annotations = { 'own/a': '1' };
const tainted = node({ annotations, taints: [{ key: 'k', effect: 'NoSchedule' }] });

it.each<[string, Partial<WriteStep>, ReturnType<Facts['cached']>, boolean]>([
  ['a node that is away takes nothing down', whileReady, node({ ready: 'Unknown' }), true],
  ['nor does one that is gone', whileReady, undefined, true],
  ['one that is Ready does', whileReady, node(), false],
  ['of nodes that nobody reads nothing is known', whileReady, 'uncached', false],
  ['a node is not as it was seen: its taints', asSeen, tainted, true],
  ['its annotations that decide', asSeen, node(), true],
  ['it is gone', asSeen, undefined, true],
  [
    'a node is as it was seen: other annotations and its state decide nothing',
    asSeen,
    node({ annotations, ready: 'False' }),
    false,
  ],
  ['a step names no node', {}, node({ ready: 'Unknown' }), false],
])('%s: whether the step is outdated', (_, over, found, isOutdated) => {
  const step = {
    do: 'delete',
    why: { word: 'PodOutdated', message: 'because' },
    resource: children,
    key: { namespace: 'edge', name: 'web-a' },
    uid: 'u',
    propagation: 'Background',
    ...over,
  } as WriteStep;
  const facts: Facts = {
    leads: true,
    stopping: false,
    now: 0,
    cached: (resource) => (groupResourceOf(resource) === groupResourceOf(nodes) ? found : undefined),
  };
  expect(executionRules.isOutdated(step, nothingToDo, facts)).toBe(isOutdated);
});

it('the rest of a plan is dropped where its own write to what it was made for is in doubt, and for no other', () => {
  const resource = spreads as Resource<KubeObject>;
  const why = { word: 'StatusOutdated', message: 'because' } as const;
  const patchOf = (name: string): WriteStep => {
    const patch = { type: 'merge', body: {} } as const;
    const about = { resource, key: { namespace: 'edge', name }, uid: 'u', resourceVersion: '1' };
    return { do: 'patch', why, ...about, patch };
  };
  const [own, other] = [patchOf('web'), patchOf('db')];
  const stages = [{ name: 'patch', steps: [own, other] }] as const;
  const guards = [guardOfAbsent(resource, { namespace: 'edge', name: 'web' })];
  const facts: Facts = { leads: true, stopping: false, now: 0, cached: () => 'uncached' };
  const isLeft = (step: WriteStep): boolean =>
    executionRules.isLeft({ ...nothingToDo, stages, guards }, facts, [{ step, error: unanswered }]);
  expect(isLeft(own)).toBe(true);
  expect(isLeft(other)).toBe(false);
  expect(isLeft({ ...own })).toBe(false);
});
