import { ApiError, isFields, type KubeObject } from '@atoll/kube';

export interface LoweredReplicas {
  readonly asked: number;
  readonly left: number;
}

/** How many replicas an answer has, where a mutating webhook or a policy left fewer than were sent; undefined: as many. */
export function loweredReplicas(
  sent: KubeObject,
  answer: KubeObject | undefined,
): LoweredReplicas | undefined {
  const [asked, left] = [replicasIn(sent), replicasIn(answer)];
  return asked === undefined || left === undefined || left >= asked ? undefined : { asked, left };
}

/**
 * As good as a refusal, and Forbidden as that of a quota: nothing is wrong with the object, and the webhook can be corrected or lifted. `what`: what was or
 * would be left so: `the change of StatefulSet web to 5 replicas left it with 2`.
 */
export function loweredError(attempted: string, what: string): ApiError {
  const message = `${what}. A mutating webhook lowers the number: correct the webhook, or ask for fewer replicas`;
  return new ApiError({ fate: 'refused', code: 403, reason: 'Forbidden', attempted, message });
}

function replicasIn(object: object | undefined): number | undefined {
  const spec = isFields(object) ? object['spec'] : undefined;
  const replicas = isFields(spec) ? spec['replicas'] : undefined;
  return typeof replicas === 'number' ? replicas : undefined;
}
