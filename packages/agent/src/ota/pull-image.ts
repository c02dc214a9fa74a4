import { daemonSetUpdate } from '@atoll/api';
import { conditionOf, type Pod, type Stored } from '@atoll/kube';
import { done, refusal, type Answer } from '../http/answer.ts';
import { revisionOf, whyNotUpgradable } from '../pods/upgradable.ts';
import { readLivePod, type PodName } from './live-pod.ts';
import type { OtaContext } from './ota-context.ts';
import { patchPullCondition } from './patch-pull-condition.ts';

const { imageReady, needUpgrade } = daemonSetUpdate.podConditions;

/** Asks for the images of the pod's next revision: the operator pulls them and answers in the same condition. */
export async function pullImage(context: OtaContext, name: PodName): Promise<Answer> {
  const { nodeName, clock } = context;
  const live = await readLivePod(context, name);
  if (!live.ok) return live.answer;
  const { pod } = live;
  const shown = `${name.namespace}/${name.name}`;
  const revision = revisionOf(conditionOf(pod, needUpgrade));
  const why =
    whyNotUpgradable(pod, nodeName) ??
    (revision === undefined ? `condition ${needUpgrade} names no controllerrevision` : undefined);
  if (why !== undefined) return refusal(403, `Failed to check pod status ${shown}, error: ${why}`);
  const { uid } = pod.metadata;
  const failed = await patchPullCondition(
    context,
    name,
    { uid },
    requestOf(pod, revision ?? '', clock.now()),
  );
  return failed ?? done(`Image pre-pull requested for pod ${shown}`);
}

/** The condition that asks for the images of a revision. */
function requestOf(pod: Stored<Pod>, revision: string, now: number): object {
  const before = conditionOf(pod, imageReady);
  const since =
    before?.status === 'False' && before.lastTransitionTime !== undefined
      ? before.lastTransitionTime
      : `${new Date(now).toISOString().slice(0, 19)}Z`;
  return {
    type: imageReady,
    status: 'False',
    // That of an earlier pull would stay otherwise.
    reason: null,
    message: `controllerrevision: ${revision}`,
    lastTransitionTime: since,
  };
}
