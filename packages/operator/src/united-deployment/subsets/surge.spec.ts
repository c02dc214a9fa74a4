// A rollout that makes new pods before old ones go (`maxSurge`).
import type { UnitedDeployment } from '@atoll/api';
import { pods as podsOfAll, type Resource } from '@atoll/kube';
import { describe, expect, test } from 'vitest';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import {
  childOf,
  conditionsOf,
  editSpec,
  podTemplate,
  putPod,
  rollOut,
  spread,
  statusOf,
  web,
  unschedulable,
  zone,
  type PodState,
} from '../../../simulation/examples/spread-example.ts';
import type { ChildWorkload } from '../../children/child.ts';
import { kindFacts } from './child-kind.ts';

type Spec = UnitedDeployment['spec'];
const noNode = unschedulable('2026-11-01T10:00:00Z');
const adaptive = {
  type: 'Adaptive',
  adaptive: { rescheduleCriticalSeconds: 10, unschedulableDuration: 60 },
} as const;

const kinds = ['Deployment', 'CloneSet'] as const;
const surging: Readonly<Record<(typeof kinds)[number], object>> = {
  Deployment: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
  CloneSet: { updateStrategy: { maxSurge: 1, maxUnavailable: 0 } },
};

function templateOf(kind: keyof typeof surging, image: string) {
  const template = { ...podTemplate, spec: { containers: [{ name: 'web', image }] } };
  const { member } = kindFacts[kind];
  const spec = { template, ...surging[kind] };
  return { [member]: { metadata: { labels: { app: 'web' } }, spec } } as Spec['template'];
}

/** The image has changed; a has its old pod, and one more of the new template in this state. */
function rolling(kind: keyof typeof surging, surge: PodState, scheduleStrategy?: typeof adaptive) {
  const subsets = [zone('a', { maxReplicas: 1 }), zone('b')];
  const topology = scheduleStrategy === undefined ? { subsets } : { subsets, scheduleStrategy };
  const { world, controller } = spread(
    web([], kind, { replicas: 3, topology, template: templateOf(kind, 'web:1') }),
  );
  const untilSteady = () => world.untilSteady(controller, 'ns/web');
  untilSteady();
  rollOut(world);
  untilSteady();
  editSpec(world, () => ({ template: templateOf(kind, 'web:2') }));
  untilSteady();
  rollOut(world, 'b');
  const child = childOf(world, 'a', kind);
  putPod(world, kind, child, 1, surge);
  const { name, generation: observedGeneration = 0 } = child.metadata;
  const status = {
    replicas: 2,
    readyReplicas: 1,
    updatedReplicas: 1,
    availableReplicas: 1,
    observedGeneration,
  };
  const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
  world.edit(resource, { namespace: 'ns', name }, (found) => ({ ...found, status }));
  untilSteady();
  return { world, untilSteady };
}

function readyOf(world: FreshWorld): string {
  const { reason, message } = statusOf(world).conditions?.find(({ type }) => type === 'Ready') ?? {};
  return `${reason}: ${message}`;
}

describe.each(kinds)('while the new pod of a %s is not ready and the old one is left', (kind) => {
  test('nothing is complete', () => {
    const { world } = rolling(kind, { ready: false });
    expect(conditionsOf(world)['Ready']).toBe('False WaitingForReady');
    const { currentRevision, updatedRevision } = statusOf(world);
    expect(currentRevision).not.toBe(updatedRevision);
  });

  test.each([
    ['', undefined],
    [' with adaptive scheduling', adaptive],
  ])('and finds no node, the condition names what keeps the old one%s', (_, scheduleStrategy) => {
    const { world, untilSteady } = rolling(kind, noNode, scheduleStrategy);
    world.now += 30_000;
    untilSteady();
    expect(readyOf(world)).toBe(
      'PodsUnschedulable: 1 of 2 subsets are updated and available; a: no older pod may go first, because maxUnavailable is 0; ' +
        `pod web-a-wqq9ll8t-${kind.toLowerCase()}-1: no node can take it: Unschedulable; ` +
        'waiting until a node has room for it, or maxUnavailable is at least 1',
    );
  });
});

test('a CloneSet whose new pod finds no node for ten minutes is Degraded, as a Deployment is by its own condition', () => {
  const { world, untilSteady } = rolling('CloneSet', noNode);
  world.now += 601_000;
  untilSteady();
  world.now += 61_000;
  untilSteady();
  expect(conditionsOf(world)['Degraded']).toBe('True PodsUnschedulable');
});

test.each(kinds)('with reservation, nobody stands in for what a %s has beyond its replicas', (kind) => {
  const reserving = { ...adaptive, adaptive: { ...adaptive.adaptive, reserveUnschedulablePods: true } };
  const subsets = [zone('a', { maxReplicas: 3 }), zone('b')];
  const topology = { subsets, scheduleStrategy: reserving };
  const { world, controller } = spread(
    web([], kind, { replicas: 5, topology, template: templateOf(kind, 'web:1') }),
  );
  const untilSteady = () => world.untilSteady(controller, 'ns/web');
  untilSteady();
  rollOut(world);
  untilSteady();
  const old = childOf(world, 'a', kind);
  editSpec(world, () => ({ template: templateOf(kind, 'web:2') }));
  untilSteady();
  rollOut(world);
  // Two are updated, one waits for the fourth, which finds no node.
  const oldLabels = old.spec?.template?.metadata?.labels ?? {};
  const child = childOf(world, 'a', kind);
  const name = `${child.metadata.name}-${kind.toLowerCase()}-2`;
  world.edit(podsOfAll, { namespace: 'ns', name }, (pod) => ({
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...oldLabels } },
  }));
  putPod(world, kind, child, 3, noNode);
  world.edit(kindFacts[kind].resource, { namespace: 'ns', name: child.metadata.name }, (found) => ({
    ...found,
    status: {
      replicas: 4,
      readyReplicas: 3,
      updatedReplicas: 3,
      availableReplicas: 3,
      observedGeneration: child.metadata.generation,
    },
  }));
  untilSteady();
  world.now += 20_000;
  untilSteady();
  expect(childOf(world, 'a', kind).spec?.replicas).toBe(3);
  expect(childOf(world, 'b', kind).spec?.replicas).toBe(3);
});
