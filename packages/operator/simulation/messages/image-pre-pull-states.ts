import { jobs, keyOf, pods, type Pod } from '@atoll/kube';
import type { FoundContainer } from '../../src/causes/found-pod.ts';
import { running, waiting } from '../../src/causes/pods.fixture.ts';
import { createImagePrePullController } from '../../src/image-pre-pull/controller.ts';
import type { asking } from '../../src/image-pre-pull/image-pre-pull.fixture.ts';
import { pullJob } from '../../src/image-pre-pull/pull-job.ts';
import { askingPod } from '../examples/asking-pod.ts';
import { describeState } from './describe-state.ts';

const minute = 60_000;

/** What is shown of a pod whose next images are asked for. */
export function imagePrePullStates(): readonly string[] {
  return [
    state('images are asked for'),
    state('the images are there', running(1)),
    state('the images cannot be pulled', waiting('ErrImagePull', 'unauthorized')),
    state('the template changed after images were asked for', undefined, {
      message: 'controllerrevision: other',
    }),
  ];
}

/** `found`: the container of the Job's pod, ten minutes after the Job was made. `asked`: what is different in the request. */
function state(title: string, found?: FoundContainer, asked: Parameters<typeof asking>[0] = {}): string {
  const { world, daemonSet, pod } = askingPod(asked);
  if (found !== undefined) {
    const job = world.put(jobs, pullJob(pod, daemonSet.spec?.template, 'new'));
    const { name, labels = {} } = job.metadata;
    const ofJob = { apiVersion: 'batch/v1', kind: 'Job', name, uid: job.metadata.uid, controller: true };
    world.put(pods, {
      metadata: { namespace: 'edge', name: `${name}-x`, labels, ownerReferences: [ofJob] },
      spec: { nodeName: 'n1', containers: [] },
      status: { phase: 'Pending', containerStatuses: [found] },
    } as unknown as Pod);
    world.now += 10 * minute;
  }
  const controller = createImagePrePullController(world.readers);
  const key = `edge/${pod.metadata.name}`;
  return describeState({ title, world, controller, key, object: [pods, keyOf(pod)] });
}
