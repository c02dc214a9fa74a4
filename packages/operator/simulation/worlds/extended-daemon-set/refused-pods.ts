import { extendedDaemonSetConditions, extendedDaemonSetReplicaSets } from '@atoll/api';
import { isReady, nodes, pods, type ApiError, type Pod } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import type { Operation } from '../../model/api-server.ts';
import type { Store } from '../../model/store.ts';
import { objectsOf } from '../../world.ts';
import {
  agentIn,
  cpuFor,
  cpuOf,
  imageIn,
  isGoing,
  isToRunPod,
  nodeOfPod,
  podsIn,
} from './extended-daemon-set-objects.ts';

/** Which pods a policy refuses. */
export interface RefusedPods {
  readonly image?: string | undefined;
  /** Those that ask for so many processors. */
  readonly cpu?: string | undefined;
  /** The node whose pod may not be deleted. */
  readonly deletedOn?: string | undefined;
  /** Statuses of replica sets are refused, and with them the record of a batch. */
  readonly records?: boolean;
}

/** What a policy answers to a pod, made or tried, to its deletion, or to the status of a replica set. */
export function refusalIn(
  operation: Operation,
  { image, cpu, deletedOn, records = false }: RefusedPods,
): ApiError | undefined {
  const isOfReplicaSet = operation.resource.plural === extendedDaemonSetReplicaSets.plural;
  if (records && isOfReplicaSet && 'subresource' in operation && operation.subresource === 'status')
    return denied('the record');
  if (operation.resource !== pods) return undefined;
  if (operation.verb === 'delete') {
    const isRefused = deletedOn !== undefined && operation.key.name.startsWith(`agent-${deletedOn}-`);
    return isRefused ? denied('the deletion') : undefined;
  }
  if (operation.verb !== 'create') return undefined;
  const pod = operation.object as Pod;
  if (image !== undefined && imageIn(pod) === image) return denied(`image ${image}`);
  return cpu !== undefined && cpuOf(pod) === cpu ? denied(`${cpu} processors`) : undefined;
}

function denied(what: string): ApiError {
  const message = `pods is forbidden: a policy denied ${what}`;
  return refusalOf(403, 'create Pod', message);
}

/** Every node has the pod that it had, or a new one where it had none, and the status reports why those that are outdated stay. */
export function missingUnrecorded(store: Store): string | undefined {
  for (const { metadata, ...node } of objectsOf(store, nodes)) {
    const pod = podsIn(store).find((each) => nodeOfPod(each) === metadata.name);
    if (!isToRunPod({ metadata, ...node })) continue;
    if (pod === undefined || !isReady(pod) || isGoing(pod)) return `${metadata.name} has no pod`;
  }
  const conditions = agentIn(store)?.status?.conditions ?? [];
  const error = conditions.find(({ type }) => type === extendedDaemonSetConditions.reconcileError);
  const isReported = error?.message?.includes('a policy denied the record') === true;
  return isReported ? undefined : 'the status does not report why outdated pods stay';
}

/** Whether the pod that a node runs is to be replaced, and may not be deleted. */
export function isKeptOn(store: Store, node: string, { deletedOn }: RefusedPods): boolean {
  const agent = agentIn(store);
  if (node !== deletedOn || agent === undefined) return false;
  const wanted = imageIn(agent.spec.template);
  return podsIn(store).some((pod) => nodeOfPod(pod) === node && !isGoing(pod) && imageIn(pod) !== wanted);
}

/** Whether the pod that a node is to run would be refused. */
export function isRefusedOn(store: Store, node: string, { image, cpu }: RefusedPods): boolean {
  return asksFor(store, image) || (cpu !== undefined && cpuFor(store.objects, node) === cpu);
}

/** Whether the object asks for pods of the image. */
export function asksFor(store: Store, image: string | undefined): boolean {
  const agent = agentIn(store);
  return image !== undefined && agent !== undefined && imageIn(agent.spec.template) === image;
}

/** Every node whose new pod is refused has the pod that it had, Ready, and the status names it and reports why it has no other. */
export function missingWhereRefused(store: Store, refused: RefusedPods): string | undefined {
  const conditions = agentIn(store)?.status?.conditions ?? [];
  const error = conditions.find(({ type }) => type === extendedDaemonSetConditions.reconcileError);
  const canary = asksFor(store, refused.image) ? agentIn(store)?.status?.canary : undefined;
  for (const { metadata } of objectsOf(store, nodes)) {
    const { name } = metadata;
    // A template that is tried is asked for on the nodes of its canary alone.
    const isAsked = canary?.nodes?.includes(name) !== false;
    if (!isAsked || !(isRefusedOn(store, name, refused) || isKeptOn(store, name, refused))) continue;
    const pod = podsIn(store).find((each) => nodeOfPod(each) === name);
    if (pod === undefined || !isReady(pod) || isGoing(pod)) return `${name} has no pod`;
    const [named = '', answer] = error?.message?.split(': ') ?? [];
    if (answer === undefined || !error?.message?.includes('a policy denied'))
      return 'the status does not report that pods are refused';
    if (!named.includes(name)) return `the status does not name ${name}, whose pod is refused`;
  }
  return undefined;
}
