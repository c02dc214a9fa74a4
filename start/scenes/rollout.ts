import { yurtAppDaemons } from '@atoll/api';
import { sleep, systemClock } from '@atoll/kube';
import { isComplete } from '../fleet/fleet-state.ts';
import { lookMs, showUntil, type Stage } from './scene.ts';

/** The sample whose rollout the newcomer sees, and its new image. */
export const sample = { namespace: 'default', name: 'nginx', image: 'nginx:1.28' };

/** The samples come to every pool and zone, and one of them gets a new image. */
export async function showRollouts(stage: Stage): Promise<void> {
  const { client, screen, once, signal } = stage;
  await showUntil(stage, isComplete);
  screen.print('Every pool and every zone has what it needs, and all is Ready.');
  if (!once) {
    screen.print(`In ${lookMs / 1000} s the image of ${sample.name} changes to ${sample.image} …`);
    await sleep(systemClock, lookMs, signal);
  }
  const { namespace, name, image } = sample;
  const path = '/spec/workloadTemplate/deploymentTemplate/spec/template/spec/containers/0/image';
  const body = [{ op: 'replace', path, value: image }] as const;
  await client.patch(yurtAppDaemons, { namespace, name }, { type: 'json', body }, { signal });
  screen.print(`Changed the image of ${name} to ${image}; the operator rolls it out …`);
  await showUntil(
    stage,
    (state) => isComplete(state) && state.workloads.some((workload) => workload.image === image),
  );
  screen.print('Every pool runs the new image.');
}
