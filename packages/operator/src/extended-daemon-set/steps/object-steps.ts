import {
  canaryFailurePolicies,
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { pods, type Stored } from '@atoll/kube';
import { patchAsSeen } from '../../engine/steps/patch-as-seen.ts';
import { seenExactly } from '../../engine/steps/seen.ts';
import type { Step } from '../../engine/step.ts';
import { emptyStatus, stateWithoutCanary } from '../report/object-status.ts';
import type { Canary } from '../canary/canary.ts';
import { withoutFailureOf } from '../canary/end-of-canary.ts';
import { matchingPods } from '../canary/verdict/judged-pods.ts';
import type { Roles } from '../roles.ts';
import type { HeldBy } from '../rolling/held-by.ts';

/**
 * The canary becomes the active replica set. That cannot be taken back, so what justifies it is read live before: nobody may have written one of
 * the pods since it was seen to be Ready (F5), nor the replica set, because a person fails a canary by a condition of that alone. The status names the
 * version of the object.
 */
export function promoteCanary(
  object: Stored<ExtendedDaemonSet>,
  { replicaSet, targets }: Canary,
  { by, why }: NonNullable<Roles['promoted']>,
  held: HeldBy | undefined,
): Step {
  const { name } = replicaSet.metadata;
  const state = stateWithoutCanary(held);
  const conditions = withoutFailureOf(name, object.status?.conditions);
  const status = {
    ...emptyStatus,
    ...object.status,
    activeReplicaSet: name,
    canary: null,
    reason: null,
    state,
    ...(conditions === undefined ? {} : { conditions }),
  };
  const justifying = by === 'time and health' ? matchingPods(targets) : [];
  return {
    ...patchAsSeen(extendedDaemonSets, object, { type: 'merge', body: { status } }),
    subresource: 'status',
    irreversible: true,
    ifRefused: 'ObjectRefused',
    restsOn: [
      seenExactly(extendedDaemonSetReplicaSets, replicaSet),
      ...justifying.map((pod) => seenExactly(pods, pod)),
    ],
    why: { word: 'CanaryPromoted', message: `canary ${name} is promoted (${by}): ${why}` },
  };
}

/** The template of the active replica set goes back into the spec. `again`: it did before, and somebody wrote the one that failed once more. */
export function revertTemplate(
  object: Stored<ExtendedDaemonSet>,
  active: Stored<ExtendedDaemonSetReplicaSet>,
  again: boolean,
): Step {
  const body = [{ op: 'replace', path: '/spec/template', value: active.spec.template }] as const;
  return {
    ...patchAsSeen(extendedDaemonSets, object, { type: 'json', body }),
    irreversible: true,
    ifRefused: 'ObjectRefused',
    why: {
      word: 'TemplateReverted',
      message: `the template goes back to that of ${active.metadata.name}, because the canary failed${again ? writtenAgain : ''}`,
    },
  };
}

const writtenAgain = `. It did before, and somebody wrote the one that failed again: where GitOps does that, annotate the object with ${annotations.onCanaryFailure}=${canaryFailurePolicies.hold}`;

/** Those of a canary that has ended. `isNoneRunning`: they may have been set for the next one, too early. */
export function removeAnnotations(
  object: Stored<ExtendedDaemonSet>,
  names: readonly string[],
  isNoneRunning: boolean,
): Step {
  const body = { metadata: { annotations: Object.fromEntries(names.map((name) => [name, null])) } };
  const shown = names.map((name) => name.slice(name.indexOf('/') + 1)).join(', ');
  const isPause = object.metadata.annotations?.[annotations.canaryPaused] === 'true';
  const hint = names.includes(annotations.canaryPaused) && isPause ? setLater : '';
  const message = isNoneRunning
    ? `no canary runs, so the annotations for one are removed: ${shown}${hint}`
    : `the canary has ended, so its annotations are removed: ${shown}`;
  return {
    ...patchAsSeen(extendedDaemonSets, object, { type: 'merge', body }),
    ifRefused: 'ObjectRefused',
    why: { word: 'CanaryEnded', message },
  };
}

const setLater = '. To pause the next one, set it together with the new template, or later';
