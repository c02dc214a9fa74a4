import { daemonSetUpdate } from '@atoll/api';
import {
  instantOf,
  type ControllerRevision,
  type DaemonSet,
  type Instant,
  type Pod,
  type Stored,
} from '@atoll/kube';
import { templateIn } from '../../children/revisions/template-data.ts';
import { contains } from '../../engine/same-meaning.ts';

const { annotations, podLabels } = daemonSetUpdate;

/** The template of a DaemonSet as its controller calls it. */
export interface LatestTemplate {
  /** Of its newest ControllerRevision; what its pods carry as `controller-revision-hash`. */
  readonly hash: string;
  /** As the API server counts them; undefined: it is not known. */
  readonly generation: number | undefined;
  /**
   * Whether the revision is known to be that of the template in the spec. One that follows may not have been read yet. One that became the newest again is known
   * by its template, or by the pods that the DaemonSet controller counts: a controller that is older than the API server records not all fields of a template.
   */
  readonly isCertain: boolean;
  /** When the DaemonSet was made: it adopted the pods that are older, and their template generations are those of its predecessor. */
  readonly countedSince: Instant | undefined;
  /** Hashes of the newest revision and of those with the same template: a newer DaemonSet controller may record one anew that an older one has recorded. */
  readonly hashes: ReadonlySet<string | undefined>;
  /** Hashes of the revisions that are known to be of another template: where the newest is that of the template in the spec. */
  readonly others: ReadonlySet<string | undefined>;
}

/**
 * The newest revision of the DaemonSet's own history, by number: an `undo` makes an older one the newest again. undefined: its
 * controller has recorded none, or has not seen the current spec, so that the newest one may be of an older template; or a pod is of a revision that is
 * not there, and the newest one is not that of the template in the spec: somebody deleted that one, or it was not read yet;
 * or another one has that template: the newest was adopted, and its controller gives that one the highest number next.
 */
export function latestTemplate(
  { metadata, spec, status }: Stored<DaemonSet>,
  history: readonly Stored<ControllerRevision>[],
  pods: readonly Stored<Pod>[],
): LatestTemplate | undefined {
  if (status?.observedGeneration !== metadata.generation) return undefined;
  const [newest] = [...history].sort((a, b) => (b.revision ?? 0) - (a.revision ?? 0));
  const hash = newest === undefined ? undefined : hashOf(newest);
  if (hash === undefined) return undefined;
  const generation = wholeNumber(metadata.annotations?.[annotations.templateGeneration]);
  const countedSince = instantOf(metadata.creationTimestamp);
  const withIts = new Set(history.filter((each) => hasTemplate(each, spec?.template)));
  const isNewest = newest !== undefined && withIts.has(newest);
  if (!isNewest && withIts.size > 0) return undefined;
  const isKnown =
    newest !== undefined &&
    (isNewest || (isMadeFor(newest, generation) && !mayBeAdopted(newest, countedSince)));
  if (!isKnown && !areKept(pods, history)) return undefined;
  const hashes = new Set([hash, ...[...withIts].map(hashOf)]);
  const others = new Set(isNewest ? history.filter((each) => !withIts.has(each)).map(hashOf) : []);
  const isCertain = isKnown || countsAllAsUpdated(status);
  return { hash, generation, isCertain, countedSince, hashes, others };
}

/** Whether the revision of each pod is there. The DaemonSet controller deletes none that a pod has. */
function areKept(pods: readonly Stored<Pod>[], history: readonly Stored<ControllerRevision>[]): boolean {
  const kept = new Set(history.map(hashOf));
  return pods.every((pod) => kept.has(hashOf(pod)));
}

/** A revision has the annotations that the DaemonSet had when its controller made it. Of one without them, or of an unknown template, nothing is known. */
function isMadeFor(revision: Stored<ControllerRevision>, generation: number | undefined): boolean {
  const own = wholeNumber(revision.metadata.annotations?.[annotations.templateGeneration]);
  return own === undefined || generation === undefined || own === generation;
}

/** By this the DaemonSet controller itself knows a revision that became the newest again. */
function hasTemplate({ data }: Stored<ControllerRevision>, template: unknown): boolean {
  const found = templateIn(data, 'template');
  if (found === undefined) return false;
  const { $patch: _, ...recorded } = found;
  // Both ways: a field that is null is one that is absent.
  return contains(template, recorded) && contains(recorded, template);
}

/** The DaemonSet controller counts by the template that it has seen, whatever was read of its revisions. */
function countsAllAsUpdated(status: Stored<DaemonSet>['status']): boolean {
  const { updatedNumberScheduled: updated = 0, desiredNumberScheduled: desired = 0 } = status ?? {};
  return updated >= desired;
}

/**
 * Whether the pod is of the latest template: by its revision, or its template generation, which is also right while the newest revision
 * is not seen yet. A generation above the one that is known is of a template that is not seen yet, unless the revision of the pod is known to be of
 * another one: such a pod was adopted together with its revision, from a DaemonSet that has changed its template more often. Of a pod that is older than
 * the DaemonSet only the revision decides: a DaemonSet that is made anew counts its templates from 1 again.
 */
export function isLatest(pod: Stored<Pod>, latest: LatestTemplate): boolean {
  const { generation, countedSince, hashes, others } = latest;
  if (hashes.has(hashOf(pod))) return true;
  if (isAdopted(pod, countedSince)) return false;
  const own = wholeNumber(pod.metadata.labels?.[podLabels.templateGeneration]);
  if (own === undefined || generation === undefined) return false;
  return own === generation || (own > generation && !others.has(hashOf(pod)));
}

/** Which revision a pod is of, or a revision is. */
export function hashOf({ metadata }: Stored<Pod | ControllerRevision>): string | undefined {
  return metadata.labels?.[podLabels.controllerRevisionHash];
}

/** Times are whole seconds: a pod of the same second counts as made by the DaemonSet's controller. */
function isAdopted({ metadata }: Stored<Pod>, countedSince: LatestTemplate['countedSince']): boolean {
  const created = instantOf(metadata.creationTimestamp);
  return created !== undefined && countedSince !== undefined && created < countedSince;
}

/** A revision of the same second may be one of the DaemonSet before, whose generations are others: only its template shows whose it is. */
function mayBeAdopted(
  { metadata }: Stored<ControllerRevision>,
  countedSince: LatestTemplate['countedSince'],
): boolean {
  const created = instantOf(metadata.creationTimestamp);
  return created !== undefined && countedSince !== undefined && created <= countedSince;
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) : undefined;
}
