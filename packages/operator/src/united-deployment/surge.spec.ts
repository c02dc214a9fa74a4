// A rollout that makes new pods before old ones go (`maxSurge`).
import type { UnitedDeployment } from '@atoll/api';
import type { Resource } from '@atoll/kube';
import { describe, expect, test } from 'vitest';
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
  zone,
  type PodState,
} from '../../simulation/examples/spread-example.ts';
import type { ChildWorkload } from '../children/child.ts';
import { kindFacts } from './child-kind.ts';

type Spec = UnitedDeployment['spec'];
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
function rolling(kind: keyof typeof surging, surge: PodState) {
  const subsets = [zone('a', { maxReplicas: 1 }), zone('b')];
  const spec = { replicas: 3, topology: { subsets }, template: templateOf(kind, 'web:1') };
  const { world, controller } = spread(web([], kind, spec));
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

describe.each(kinds)('while the new pod of a %s is not ready and the old one is left', (kind) => {
  test('nothing is complete', () => {
    const { world } = rolling(kind, { ready: false });
    expect(conditionsOf(world)['Ready']).toBe('False WaitingForReady');
    const { currentRevision, updatedRevision } = statusOf(world);
    expect(currentRevision).not.toBe(updatedRevision);
  });
});
