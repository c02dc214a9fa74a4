import { labels } from '@atoll/api';
import { pods as podResource } from '@atoll/kube';
import type { Instant, KubeObject, Resource } from '@atoll/kube';
import type { Step } from '../engine/step.ts';
import type { Child } from './child.ts';
import type { SubsetDecision } from './decision.ts';
import { brokenStatefulPods } from './scheduling/broken-stateful-pods.ts';
import { isActive, isReady } from './subset-pods.ts';

/** How long a pod of an older revision may be not ready before it counts as broken. */
export const brokenAfterMs = 60_000;

export interface StuckPods {
  readonly steps: readonly Step[];
  readonly lookAgainAt: Instant | undefined;
}

const nothing: StuckPods = { steps: [], lookAgainAt: undefined };

/**
 * The broken pods that keep a StatefulSet from leaving their template, one at a time and the highest ordinal first, as it
 * would go itself. Never while a pod of the wanted revision is not ready: then it is the new template that is broken, and
 * more pods of it help nobody.
 */
export function stuckPodSteps(decision: SubsetDecision, now: Instant): StuckPods {
  const { child, pods, partition, subset } = decision;
  const revision = child === undefined ? undefined : rollingTo(decision, child);
  if (revision === undefined) return nothing;
  const isNew = ({ metadata }: (typeof pods)[number]): boolean =>
    metadata.labels?.[labels.subsetRevision] === revision;
  if (pods.some((pod) => isNew(pod) && isActive(pod) && !isReady(pod))) return nothing;
  const found = brokenStatefulPods({ pods, partition, revision, patienceMs: brokenAfterMs }, now);
  const [first] = found.pods;
  const broken = pods.find(({ metadata }) => metadata.uid === first?.metadata.uid);
  if (broken === undefined) return { steps: [], lookAgainAt: found.lookAgainAt };
  const { name, namespace = '', uid, resourceVersion } = broken.metadata;
  const message = `pod ${name} of subset ${subset.name} has not been ready for ${brokenAfterMs / 1000} s and keeps the StatefulSet at an older template`;
  const step: Step = {
    do: 'delete',
    resource: podResource as Resource<KubeObject>,
    key: { namespace, name },
    uid,
    // Its status is the reason, so that status must still be the one that was seen (F2).
    resourceVersion,
    propagation: 'Background',
    ifRefused: 'PodRefused',
    why: { word: 'PodStuck', message },
  };
  return { steps: [step], lookAgainAt: undefined };
}

/** The label of the revision to which a StatefulSet of Kubernetes rolls pod by pod; undefined: it does not. */
function rollingTo({ target, health }: SubsetDecision, { kind, object }: Child): string | undefined {
  const {
    updateStrategy,
    template,
    podManagementPolicy = 'OrderedReady',
  } = (object.spec ?? {}) as NonNullable<Child['object']['spec']> & { readonly podManagementPolicy?: string };
  const rolls =
    kind === 'StatefulSet' &&
    target.revision === target.wanted &&
    health?.observed === true &&
    !health.updated &&
    updateStrategy?.type !== 'OnDelete' &&
    podManagementPolicy === 'OrderedReady';
  return rolls ? template?.metadata?.labels?.[labels.subsetRevision] : undefined;
}
