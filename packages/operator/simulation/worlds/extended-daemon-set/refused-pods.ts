import { extendedDaemonSetConditions } from '@atoll/api';
import { ApiError, nodes, pods, type Pod } from '@atoll/kube';
import type { Operation } from '../../model/api-server.ts';
import type { Store } from '../../model/store.ts';
import { objectsOf } from '../../world.ts';
import { agentIn, imageIn, isGoing, isReady, nodeOfPod, podsIn } from './extended-daemon-set-objects.ts';

/** What a policy answers to a pod of the image, made or tried. */
export function refusalOfPods(operation: Operation, image: string): ApiError | undefined {
  const isPod = operation.resource === pods && operation.verb === 'create';
  if (!isPod || imageIn(operation.object as Pod) !== image) return undefined;
  const message = `pods is forbidden: a policy denied image ${image}`;
  return new ApiError({ fate: 'refused', code: 403, reason: 'Forbidden', attempted: 'create Pod', message });
}

/** Whether the object asks for pods of the image. */
export function asksFor(store: Store, image: string | undefined): boolean {
  const agent = agentIn(store);
  return image !== undefined && agent !== undefined && imageIn(agent.spec.template) === image;
}

/** Every node has the pod that it had, Ready, and the status reports why it has no other. */
export function missingWhereRefused(store: Store): string | undefined {
  const bare = objectsOf(store, nodes).find(
    ({ metadata }) =>
      !podsIn(store).some((pod) => nodeOfPod(pod) === metadata.name && isReady(pod) && !isGoing(pod)),
  );
  if (bare !== undefined) return `${bare.metadata.name} has no pod`;
  const conditions = agentIn(store)?.status?.conditions ?? [];
  const error = conditions.find(({ type }) => type === extendedDaemonSetConditions.reconcileError);
  return error?.message?.includes('a policy denied image') === true
    ? undefined
    : 'the status does not report that pods are refused';
}
