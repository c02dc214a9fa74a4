import {
  canaryPromotionPolicies,
  extendedDaemonSetAnnotations as annotations,
  type ExtendedDaemonSet,
} from '@atoll/api';
import { parseIntOrPercent, type Stored } from '@atoll/kube';
import type { ReadStrategy } from '../../extended-daemon-set/read-strategy.ts';

/** A canary without nodes shows nothing, so time does not promote it (BUG-4). A person may mean to validate each template, or ask for upstream's rule. */
export function strategyWarnings(
  { metadata: { namespace = '', name, annotations: found = {} } }: Stored<ExtendedDaemonSet>,
  { strategy: { canary }, problems }: ReadStrategy,
): readonly string[] {
  if (canary?.mode !== 'auto' || problems.length > 0) return [];
  if (found[annotations.canaryPromotion] === canaryPromotionPolicies.afterDuration) return [];
  if (parseIntOrPercent(canary.replicas).value !== 0) return [];
  return [
    `spec.strategy.canary.replicas is ${canary.replicas}: a new template is tried on no node, and goes to none until a person validates it with ` +
      `kubectl eds canary validate ${name} -n ${namespace}. Set at least 1, or remove spec.strategy.canary to roll out without a canary`,
  ];
}

/** The API server takes it in a pod, and in no template of a native DaemonSet. */
export function templateWarnings({ spec: { template } }: Stored<ExtendedDaemonSet>): readonly string[] {
  if (template.spec?.restartPolicy !== 'Never') return [];
  return [
    'spec.template.spec.restartPolicy is Never: containers that end are not started again. When all have ended, the pod is deleted and made again, ' +
      'after up to 15 minutes, and a canary has no restarts for autoPause and autoFail to count. Remove the field: the default is Always',
  ];
}
