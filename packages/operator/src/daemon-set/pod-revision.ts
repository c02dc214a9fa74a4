import { daemonSetUpdate } from '@atoll/api';
import type { ControllerRevision, DaemonSet, Pod, Stored } from '@atoll/kube';

const { annotations, podLabels } = daemonSetUpdate;

/** The template of a DaemonSet as its controller calls it. */
export interface LatestTemplate {
  /** Of its newest ControllerRevision; what its pods carry as `controller-revision-hash`. */
  readonly hash: string;
  /** As the API server counts them; undefined: it is not known. */
  readonly generation: number | undefined;
}

/**
 * The newest revision of the DaemonSet's own history, by number: an `undo` makes an older one the newest again. undefined: its
 * controller has recorded none, or has not seen the current spec, so that the newest one may be of an older template.
 */
export function latestTemplate(
  { metadata, status }: Stored<DaemonSet>,
  history: readonly Stored<ControllerRevision>[],
): LatestTemplate | undefined {
  if (status?.observedGeneration !== metadata.generation) return undefined;
  const [newest] = [...history].sort((a, b) => (b.revision ?? 0) - (a.revision ?? 0));
  const hash = newest?.metadata.labels?.[podLabels.controllerRevisionHash];
  if (hash === undefined) return undefined;
  return { hash, generation: wholeNumber(metadata.annotations?.[annotations.templateGeneration]) };
}

/**
 * Whether the pod is of the latest template: by its hash, or its template generation, which is also right while the newest revision
 * is not seen yet. A generation above the one that is known is of a template that is not seen yet.
 */
export function isLatest(pod: Stored<Pod>, { hash, generation }: LatestTemplate): boolean {
  const { labels = {} } = pod.metadata;
  if (labels[podLabels.controllerRevisionHash] === hash) return true;
  const own = wholeNumber(labels[podLabels.templateGeneration]);
  return own !== undefined && generation !== undefined && own >= generation;
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) : undefined;
}
