import {
  nodePools,
  unitedDaemonSets,
  unitedDeployments,
  webhookPath,
  yurtAppDaemons,
  type NodePool,
  type PoolWorkload,
  type UnitedDeployment,
} from '@atoll/api';
import { projectionOfPaths, type Clock, type KubeObject, type Resource } from '@atoll/kube';
import {
  jsonPatchBetween,
  type AdmissionAnswer,
  type AdmissionHandler,
  type AdmissionRequest,
} from '@atoll/kube/webhook';
import type { CacheName } from '../caches.ts';
import { defaultNodePool } from './node-pool/default-node-pool.ts';
import { defaultPoolWorkload } from './pool-workload/default-pool-workload.ts';
import {
  defaultingWarnings,
  defaultUnitedDeployment,
} from './united-deployment/default-united-deployment.ts';
import type { TryChildren } from './trials/try-children.ts';
import { nodePoolWarnings } from './node-pool/validate-node-pool.ts';
import type { UnitedDeploymentReaders } from './united-deployment/united-deployment-facts.ts';
import { validatePoolWorkload } from './pool-workload/validate-pool-workload.ts';
import { validateUnitedDeployment } from './united-deployment/validate-united-deployment.ts';
import type { AdmissionReaders } from './pool-workload/workload-facts.ts';

/** The kinds that webhooks look at, by the controller that looks after them: where another operator does, ours is silent. */
const kindOf: Readonly<Record<string, Resource<KubeObject>>> = {
  'node-pool': nodePools,
  'united-daemon-set': unitedDaemonSets,
  'yurt-app-daemon': yurtAppDaemons,
  'united-deployment': unitedDeployments,
};

/** The kinds that have webhooks while these controllers run. */
export function admittedKinds(controllers: readonly string[]): readonly Resource<KubeObject>[] {
  return Object.entries(kindOf).flatMap(([name, kind]) => (controllers.includes(name) ? [kind] : []));
}

/** The caches that the webhooks of these kinds read. */
export function admissionReads(kinds: readonly Resource<KubeObject>[]): readonly CacheName[] {
  const reads: CacheName[] = [];
  if (kinds.includes(unitedDaemonSets) || kinds.includes(yurtAppDaemons)) {
    reads.push('nodePools', 'deployments', 'statefulSets');
  }
  if (kinds.includes(unitedDeployments)) {
    reads.push('deployments', 'statefulSets', 'advancedStatefulSets', 'cloneSets');
  }
  return reads;
}

/** The status of a workload names every pool, and no webhook looks at it. */
export const reviewedFields = projectionOfPaths<KubeObject>(['metadata', 'spec']);

export interface AdmissionHandlersOptions {
  readonly readers: AdmissionReaders & UnitedDeploymentReaders;
  readonly tries: TryChildren;
  readonly clock: Clock;
}

/** What the webhooks of the kinds say, by path. */
export function admissionHandlers(
  options: AdmissionHandlersOptions,
): Readonly<Record<string, AdmissionHandler>> {
  const handlers: Record<string, AdmissionHandler> = {
    [webhookPath('mutate', nodePools)]: async (request) =>
      defaulted<NodePool>(request, (pool) => defaultNodePool(pool, request.operation === 'CREATE')),
    [webhookPath('validate', nodePools)]: async ({ object }) =>
      object === undefined
        ? { allowed: true }
        : { allowed: true, warnings: nodePoolWarnings(object as NodePool) },
  };
  const workloads: readonly Resource<PoolWorkload>[] = [unitedDaemonSets, yurtAppDaemons];
  for (const resource of workloads) {
    handlers[webhookPath('mutate', resource)] = async (request) =>
      defaulted<PoolWorkload>(request, defaultPoolWorkload);
    handlers[webhookPath('validate', resource)] = async (request) =>
      validatePoolWorkload({ ...options, resource }, request);
  }
  handlers[webhookPath('mutate', unitedDeployments)] = async (request) =>
    defaulted<UnitedDeployment>(request, defaultUnitedDeployment, defaultingWarnings);
  handlers[webhookPath('validate', unitedDeployments)] = async (request) =>
    validateUnitedDeployment({ ...options, resource: unitedDeployments }, request);
  return handlers;
}

/** An object that is going is left as it is: nothing may stand in the way of its end. */
function defaulted<T extends KubeObject>(
  { object, oldObject }: AdmissionRequest,
  fill: (object: T) => T,
  warn?: (object: T, old: T | undefined) => readonly string[],
): AdmissionAnswer {
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return { allowed: true };
  const filled = fill(object as T);
  const warnings = warn?.(object as T, oldObject as T | undefined) ?? [];
  return { allowed: true, warnings, patch: jsonPatchBetween(object, filled) };
}
