import { conditionTypes, kruiseManager, type ReasonWord, type UnitedDeployment } from '@atoll/api';
import { conditionOf, formatKey, type Instant, type KubeObject, type Stored } from '@atoll/kube';
import type { Readers } from '../../caches.ts';
import {
  isHeldAs,
  isRecent,
  isScaledUp,
  isWrittenOverUs,
  lastStatusWrite,
  quietMs,
} from '../../children/ownership/status-writers.ts';
import { hold, type Hold, type HoldCause } from '../../engine/hold.ts';

/** What is seen of OpenKruise in the cluster, as far as it concerns UnitedDeployments. */
export interface KruiseFacts {
  /** The workloads that run its manager, whatever their namespace. */
  readonly managers: readonly KruiseManager[];
  /** Its webhooks are there, and workloads of some namespaces only are seen: its manager may run in another. */
  readonly mayRunUnseen: boolean;
  /** Since when the API server refuses what its UnitedDeployment controller writes; undefined: it does not. */
  readonly keptOffSince: Instant | undefined;
  /** What the API server asks its webhooks about before it accepts a write, and refuses while they do not answer. */
  readonly guarded: readonly string[];
}

export interface KruiseManager {
  /** `Deployment kruise-system/kruise-controller-manager` */
  readonly what: string;
  /** Not scaled to zero. Whether it is healthy this minute is no matter: it will be. */
  readonly runs: boolean;
}

const reason: ReasonWord = 'ServedByKruise';

export type KruiseReaders = Pick<
  Readers,
  'deployments' | 'statefulSets' | 'kruiseKeptOff' | 'kruiseValidatingWebhooks' | 'kruiseMutatingWebhooks'
>;

const keptOffManifest = 'deploy/optional/kruise-kept-off.yaml';

/** The policy first: to scale the manager to zero while its webhooks are there stops every new pod in the cluster. */
const keepOff = `Keep it off UnitedDeployments with ${keptOffManifest}. Or, where nothing else needs that manager, delete its webhooks and scale it to zero: webhooks that nothing answers stop every new pod in the cluster`;

export function kruiseFacts(readers: KruiseReaders): KruiseFacts {
  const managerOf =
    (kind: string) =>
    (workload: Stored<Workload>): KruiseManager => ({
      what: `${kind} ${formatKey(workload.metadata)}`,
      runs: isScaledUp(workload),
    });
  const binding = readers.kruiseKeptOff
    .list()
    .find(({ spec }) => spec?.validationActions?.includes('Deny') === true);
  const managers = [
    ...readers.deployments.by('kruise', kruiseManager.workload).map(managerOf('Deployment')),
    ...readers.statefulSets.by('kruise', kruiseManager.workload).map(managerOf('StatefulSet')),
  ];
  const webhooks = [...readers.kruiseValidatingWebhooks.list(), ...readers.kruiseMutatingWebhooks.list()];
  const isLimited = readers.deployments.namespaces !== undefined;
  return {
    managers,
    mayRunUnseen: isLimited && managers.length === 0 && webhooks.length > 0,
    keptOffSince: binding === undefined ? undefined : Date.parse(binding.metadata.creationTimestamp),
    guarded: guardedBy(webhooks),
  };
}

interface Workload extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}

interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly {
    readonly failurePolicy?: string;
    readonly rules?: readonly { readonly resources?: readonly string[] }[];
  }[];
}

/** The default of `failurePolicy` is Fail (admissionregistration.k8s.io/v1). */
function guardedBy(configurations: readonly WebhookConfiguration[]): readonly string[] {
  const resources = configurations
    .flatMap(({ webhooks = [] }) => webhooks)
    .filter(({ failurePolicy }) => failurePolicy !== 'Ignore')
    .flatMap(({ rules = [] }) => rules.flatMap((rule) => rule.resources ?? []));
  return [...new Set(resources)].sort();
}

/**
 * A hold where somebody else serves a UnitedDeployment: two who do would undo each other's work, and delete each other's children. Three signs, each enough:
 *
 * - Kruise's manager is installed and not scaled to zero. Its controller for this kind has no switch since 1.0, so that
 *   it is at work wherever the manager is, unless the API server refuses its writes.
 * - Its manager is not seen, which may be in a namespace that is not seen, and its webhooks are there.
 * - Kruise wrote the status after we did, a short time ago: a manager that runs elsewhere or under another name. This one ends: it gets too old to
 *   mean anything.
 *
 * A status that only Kruise wrote is what a take-over finds, and no sign; nor is one from before it was kept off.
 */
export function conflictOf(
  object: Stored<UnitedDeployment>,
  { managers, keptOffSince, mayRunUnseen }: KruiseFacts,
  now: Instant,
): Hold | undefined {
  const running = managers.find(({ runs }) => runs);
  if (running !== undefined && keptOffSince === undefined) {
    const problem = `OpenKruise's manager, ${running.what}, controls UnitedDeployments too. ${keepOff}`;
    return conflict({ problem });
  }
  if (mayRunUnseen && keptOffSince === undefined) {
    const problem = `OpenKruise's webhooks are in the cluster and --namespaces keeps its manager out of sight, which controls UnitedDeployments too where it runs. Keep it off them with ${keptOffManifest}, or name its namespace in --namespaces, or delete the webhooks where it is gone`;
    return conflict({ problem });
  }
  // All there are stand still: what they wrote before they stopped is what a take-over finds.
  if (running === undefined && managers.length > 0) return undefined;
  const wroteAt = lastWriteOfKruise(object);
  if (wroteAt === undefined || !isRecent(wroteAt, now)) return undefined;
  if (keptOffSince !== undefined && wroteAt <= keptOffSince) return undefined;
  if (!isWrittenOverUs(object, wroteAt) && !isHeldForConflict(object)) return undefined;
  const since = new Date(wroteAt).toISOString().replace('.000Z', 'Z');
  const problem = `a manager of OpenKruise wrote the status at ${since}. ${keepOff}`;
  const waitingUntil = `it has written nothing for ${quietMs / 60_000} minutes`;
  return { ...conflict({ problem, waitingUntil }), until: wroteAt + quietMs };
}

function conflict(cause: HoldCause & { readonly problem: string }): Hold {
  return hold(reason, 'person', [], cause, true);
}

/**
 * Whether the status, all but conditions that are ours, is what Kruise wrote: nothing was reported of the object since, but that Kruise serves it.
 */
export function isStatusOfKruise(object: Stored<UnitedDeployment>): boolean {
  if (conditionOf(object, conditionTypes.progressing) === undefined || isHeldForConflict(object)) return true;
  const wroteAt = lastWriteOfKruise(object);
  return wroteAt !== undefined && isWrittenOverUs(object, wroteAt);
}

/** What the API server refuses because of webhooks that Kruise left behind; undefined: nothing. */
export function refusedByLeftWebhooks({ managers, guarded, mayRunUnseen }: KruiseFacts): string | undefined {
  if (mayRunUnseen) return undefined;
  if (guarded.length === 0 || managers.some(({ runs }) => runs)) return undefined;
  return `OpenKruise left webhooks that nothing answers, so the API server refuses writes of ${guarded.join(', ')}. Delete them: kubectl delete validatingwebhookconfiguration/${kruiseManager.validatingWebhooks} mutatingwebhookconfiguration/${kruiseManager.mutatingWebhooks}`;
}

function isHeldForConflict(object: Stored<UnitedDeployment>): boolean {
  return isHeldAs(reason, object);
}

function lastWriteOfKruise(object: Stored<UnitedDeployment>): Instant | undefined {
  return lastStatusWrite(object, [kruiseManager.fieldManager])?.at;
}
