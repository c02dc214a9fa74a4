import { controllerOf, formatKey, keyOf, pods } from '@atoll/kube';
import type { CacheEvent, KubeObject, Pod } from '@atoll/kube';
import { ownerKey } from '../children/keys-for-child.ts';
import { source, type Controller } from '../engine/controller.ts';
import { decide, type PrePullDecision } from './decide.ts';
import { eventsOf } from './events.ts';
import { observe, type PrePullReaders, type PrePullSnapshot } from './observe.ts';
import { plan } from './plan.ts';
import { hasPullCondition } from './pull-request.ts';

/** Pulls the images of the next revision on the node of a pod, where its node agent asks for it, and records whether they are there. */
export function createImagePrePullController(
  readers: PrePullReaders,
): Controller<PrePullSnapshot, PrePullDecision> {
  const { daemonSetPods, daemonSets, controllerRevisions, pullJobs, pullPods } = readers;
  return {
    name: 'image-pre-pull',
    resource: pods,
    foreign: true,
    sources: [
      // The revision that a pod is asked to pull is in messages.
      { ...source(daemonSetPods, keysForPod), ofStatus: () => 'immediate', readsMessages: true },
      source(pullJobs, ({ object }) => ownKey(object)),
      source(pullPods, ({ object }) => jobsOwner(object)),
      source(daemonSets, ({ object }) => askingPods(object.metadata.uid), 'deferred'),
      source(controllerRevisions, ({ object }) => {
        const owner = controllerOf(object);
        return owner === undefined ? [] : askingPods(owner.uid);
      }),
    ],
    observe: (key) => observe(readers, key),
    decide,
    plan,
    events: (snapshot, _decision, outcome) => eventsOf(snapshot, outcome),
    // All that is written on the pod is part of the plan.
    report: () => [],
  };

  function ownKey(object: KubeObject): readonly string[] {
    const key = ownerKey(pods, object);
    return key === undefined ? [] : [key];
  }

  function jobsOwner(pod: Pod): readonly string[] {
    const { namespace = '' } = pod.metadata;
    const owner = controllerOf(pod);
    const job = owner === undefined ? undefined : pullJobs.get({ namespace, name: owner.name });
    return job === undefined ? [] : ownKey(job);
  }

  /** Pods whose request waits until the template that they name is recorded. */
  function askingPods(uid: string): readonly string[] {
    return daemonSetPods
      .by('owner', uid)
      .filter(hasPullCondition)
      .map((pod) => formatKey(keyOf(pod)));
  }
}

function keysForPod(event: CacheEvent<Pod>): readonly string[] {
  const matters = hasPullCondition(event.object) || (event.type === 'updated' && hasPullCondition(event.old));
  return matters ? [formatKey(keyOf(event.object))] : [];
}
