import { controllerOf, events, isApiError, pods } from '@atoll/kube';
import type { Client, Clock, Event, KubeObject, Pod, Stored } from '@atoll/kube';
import { deploymentOf, podTemplateHash } from '../children/pods/deployment-of-pod.ts';
import type { Inspection } from '../engine/inspection.ts';
import { causesOf, objectsToExplain, type FoundWorkload } from './causes-of.ts';
import type { FoundEvent } from './explained-by-events.ts';
import type { Finding } from './finding.ts';
import { unseenPods, unseenSelector } from './unseen-pods.ts';

/** So many objects a list returns at most. */
const limit = 50;

/** So many where nothing else distinguishes the pod that is not well: one page of the API server, some megabytes. */
const limitOfAll = 500;

/** A list of few objects; one that takes longer is on a connection whose other end is gone. */
const timeoutMs = 4_000;

export interface ReadWorkload {
  readonly client: Pick<Client, 'list'>;
  readonly clock: Clock;
  /** Resolves when the next list may be sent. */
  readonly turn: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** What controllers write on pods to distinguish those of one template: that of Deployments, and all others. */
const templateLabels: readonly string[] = [podTemplateHash, 'controller-revision-hash'];

interface Selection {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
}

/**
 * Looks at the pods of one workload, and where they do not show the cause at events of at most two objects. Lists at most 50
 * objects each, and in the end 500. Rejects where the pods cannot be read; events that cannot be read explain nothing.
 */
export async function readWorkload(
  inspection: Inspection,
  { client, clock, turn, signal }: ReadWorkload,
): Promise<Finding | undefined> {
  const { namespace, labelSelector, uid, wanted, awaited } = inspection;
  const options = { namespace, limit, onePage: true, timeoutMs, attempts: 1, signal } as const;
  const list = async (only: Selection = {}): Promise<readonly Stored<Pod>[]> => {
    await turn();
    const { items } = await client.list(pods, { ...options, labelSelector, ...only });
    return items;
  };
  const workloadOf = (found: readonly Stored<Pod>[]): FoundWorkload => ({
    uid,
    // Of more pods than a list holds none is known to be missing.
    wanted: found.length >= limit ? 0 : wanted,
    // Those of the cache are newer whenever the finding is used.
    conditions: [],
    pods: found.filter((pod) => isPodOf(inspection, pod)),
    ...(awaited === undefined ? {} : { awaited }),
  });
  const first = await list();
  let workload = workloadOf(first);
  for (const few of first.length < limit ? [] : fewOfMany(inspection, first)) {
    if (causesOf(workload, [], clock.now()) !== undefined) break;
    workload = { ...workloadOf(await list(few)), wanted: 0 };
  }
  const events: FoundEvent[] = [];
  const { conditions } = inspection;
  for (const object of objectsToExplain({ ...workload, conditions }, clock.now())) {
    await turn();
    events.push(...(await eventsOf(client, object, options)));
  }
  const found = causesOf(workload, events, clock.now());
  if (found !== undefined || inspection.kind !== 'DaemonSet') return found;
  const unseen = first.length < limit ? first : await list(withLabels(labelSelector, unseenSelector));
  return unseenPods(unseen.filter((pod) => isPodOf(inspection, pod)));
}

/** The first of very many pods are well: those of the others that may not be, as far as the API server can distinguish them. */
function fewOfMany(inspection: Inspection, first: readonly Stored<Pod>[]): readonly Selection[] {
  const { labelSelector, awaited } = inspection;
  const neverStarted: Selection = { fieldSelector: 'status.phase=Pending' };
  if (awaited !== undefined) {
    return [neverStarted, ...awaited.slice(0, 2).map((name) => ({ fieldSelector: `metadata.name=${name}` }))];
  }
  const ofOtherTemplates = templateLabels.flatMap((label) => {
    const found = first
      .filter((pod) => isPodOf(inspection, pod))
      .flatMap(({ metadata }) => metadata.labels?.[label] ?? []);
    const values = [...new Set(found)].sort().join(',');
    return values === '' ? [] : [withLabels(labelSelector, `${label} notin (${values})`)];
  });
  return [neverStarted, ...ofOtherTemplates, { limit: limitOfAll }];
}

function withLabels(...all: readonly string[]): Selection {
  return { labelSelector: all.filter((each) => each !== '').join(',') };
}

async function eventsOf(
  client: Pick<Client, 'list'>,
  uid: string,
  options: object,
): Promise<readonly Stored<Event>[]> {
  try {
    const { items } = await client.list(events, { ...options, fieldSelector: `regarding.uid=${uid}` });
    return items;
  } catch (error) {
    if (!isApiError(error)) throw error;
    return [];
  }
}

/** A label alone does not make a pod that of the workload. */
function isPodOf({ kind, name, uid }: Inspection, pod: KubeObject): boolean {
  return kind === 'Deployment' ? deploymentOf(pod) === name : controllerOf(pod)?.uid === uid;
}
