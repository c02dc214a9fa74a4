import { apiVersionOf, statefulSets } from '@atoll/kube';
import type { ChildTrial, ExplainedTrial } from '../trials/trial.ts';

/**
 * The pods of an OpenKruise child, tried as those of a StatefulSet. Kruise's definitions know nothing of what is in a pod
 * template, and its webhook reads over what it does not know, so that a typo there would be lost without a word. Of the
 * pods of StatefulSets the API server asks what Kruise's webhook asks of both kinds.
 */
export function podsTrial({ trial, what, toOwner }: ExplainedTrial<ChildTrial>): ExplainedTrial {
  const { key, object } = trial;
  const { metadata, spec } = object;
  const { selector, template, volumeClaimTemplates: claims } = spec;
  return {
    trial: {
      key: `${key} pods`,
      resource: statefulSets,
      object: {
        apiVersion: apiVersionOf(statefulSets),
        kind: statefulSets.kind,
        metadata,
        spec: {
          replicas: 0,
          selector,
          template,
          // Pods mount what is made from them.
          ...(claims === undefined ? {} : { volumeClaimTemplates: claims }),
        },
      },
      uid: undefined,
      occupied: false,
    },
    what: `the pod template of ${what}`,
    toOwner,
    podsOnly: true,
  };
}
