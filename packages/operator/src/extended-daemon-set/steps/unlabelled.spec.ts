import { extendedDaemonSetLabels as labels } from '@atoll/api';
import { ApiError, pods, podTemplates, type KubeObject, type Resource } from '@atoll/kube';
import { expect, it } from 'vitest';
import { judgeLive } from '../../engine/executor/answers/judge.ts';
import { active } from '../canary/canary.fixture.ts';
import { decide } from '../decide.ts';
import { agent, ago, nodesNamed, now, podOn, snapshotOf } from '../extended-daemon-set.fixture.ts';
import { plan } from '../plan.ts';

const alreadyExists = new ApiError({
  fate: 'refused',
  code: 409,
  reason: 'AlreadyExists',
  attempted: 'create',
  message: 'already exists',
});

/** What becomes of the creation of an object that is there, without this label. */
function createdBeside(resource: Resource<KubeObject>, label: string) {
  const others = ['b', 'c'].map((node) => podOn(node, active));
  const snapshot = snapshotOf({
    object: agent('agent:1'),
    replicaSets: [active],
    nodes: nodesNamed('a', 'b', 'c'),
    pods: others,
    podTemplate: undefined,
  });
  const steps = plan(snapshot, decide(snapshot, now), now).stages.flatMap((stage) => stage.steps);
  const step = steps.find((each) => each.do === 'create' && each.resource === resource);
  if (step?.do !== 'create') throw new Error('nothing is made');
  const { [label]: taken, ...left } = step.object.metadata.labels ?? {};
  expect(taken).toBeDefined();
  const stored = { uid: 'u', resourceVersion: '7', creationTimestamp: ago(60) };
  const live = { ...step.object, metadata: { ...step.object.metadata, labels: left, ...stored } };
  return judgeLive(step, alreadyExists, live).result;
}

// The caches follow these labels, so that without one the object would be made again with every reconcile.
it.each<readonly [string, Resource<KubeObject>, string]>([
  ['pod', pods, labels.name],
  ['PodTemplate', podTemplates, labels.autoscalerDaemonSetPod],
])('a %s whose label somebody takes off has a name that is taken, and is not ours', (_, resource, label) => {
  const message = expect.stringContaining(`kubectl label --overwrite ${resource.plural} agent`) as string;
  expect(createdBeside(resource, label)).toMatchObject({
    did: 'failed',
    error: { reason: 'NameTaken', message },
  });
  expect(createdBeside(resource, label)).toMatchObject({
    error: { message: expect.stringContaining(`${label}=`) as string },
  });
});
