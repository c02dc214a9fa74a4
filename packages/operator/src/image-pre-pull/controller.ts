import { pods } from '@atoll/kube';
import { source, type Controller } from '../engine/controller.ts';
import { decide, type PrePullDecision } from './decide.ts';
import { eventsOf } from './events.ts';
import {
  keysForDaemonSet,
  keysForJob,
  keysForPod,
  keysForPullPod,
  keysForRevision,
} from './keys-for-event.ts';
import { observe, type PrePullReaders, type PrePullSnapshot } from './observe.ts';
import { plan } from './plan.ts';

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
      source(pullJobs, keysForJob),
      source(pullPods, (event) => keysForPullPod(pullJobs, event)),
      source(daemonSets, (event) => keysForDaemonSet(daemonSetPods, event), 'deferred'),
      source(controllerRevisions, (event) => keysForRevision(daemonSetPods, event)),
    ],
    observe: (key, refused) => observe(readers, key, refused),
    decide,
    plan,
    events: (snapshot, _decision, outcome) => eventsOf(snapshot, outcome),
    // All that is written on the pod is part of the plan.
    report: () => [],
  };
}
