import { groupResourceOf, type Fields } from '@atoll/kube';
import type { CacheEvent, KubeObject, Resource, Stored } from '@atoll/kube';
import type { Source, Urgency } from '../controller.ts';
import { sameJson } from '../same-meaning.ts';

/** What follows from one event of one source. */
export interface Enqueued {
  readonly keys: readonly string[];
  readonly urgency: Urgency;
  /** What the API server refused for these keys is sent again at once. */
  readonly endsRefusal: boolean;
}

const nothing: Enqueued = { keys: [], urgency: 'deferred', endsRefusal: false };

/**
 * Which keys an event enqueues, how soon they are reconciled, and whether it ends a refusal. Pure; throws what the source throws.
 *
 * - The echo of a status that the controller wrote itself enqueues nothing where {@link isReadByPlans} finds nothing in it, unless plans read messages, or
 *   others write that status too and something else than conditions changed.
 * - Where such an echo skips versions, what is read may have turned and turned back: it enqueues.
 * - A status of the controller's own kind is deferred, unless the source decides otherwise; every other change of such an object is immediate: somebody changed what is
 *   wanted.
 * - Of everything else the source decides.
 * - No write of ours ends a refusal. What somebody else wrote to the object and a live read has found is an echo as well, and does.
 */
export function keysToEnqueue(
  own: Resource<KubeObject>,
  source: Source,
  event: CacheEvent<KubeObject>,
): Enqueued {
  const isOwn = groupResourceOf(source.reader.resource) === groupResourceOf(own);
  const isEcho = event.type !== 'deleted' && event.echo === true;
  const isStatus = isOwn && event.type === 'updated' && changesOnlyStatus(event.old, event.object);
  const isRead =
    source.readsMessages === true ||
    !isStatus ||
    event.skips === true ||
    isReadByPlans(event.old, event.object) ||
    (source.othersWriteStatus === true && !changesOnlyConditions(event.old, event.object));
  if (isEcho && !isRead) return nothing;
  const keys = [...source.keysFor(event)];
  const urgency = isStatus
    ? (source.ofStatus?.(event) ?? 'deferred')
    : isOwn
      ? 'immediate'
      : source.urgency(event);
  const isAnswered = isEcho && (!isOwn || isStatus);
  const endsRefusal = !isAnswered && (source.endsRefusal?.(event) ?? urgency === 'immediate');
  return { keys, urgency, endsRefusal };
}

/**
 * Whether plans may read what changed between two versions of a status. They read which revisions there are, and since when
 * something is so; they never read numbers and messages.
 */
export function isReadByPlans(old: object, object: object): boolean {
  return !sameButCounts(statusOf(old), statusOf(object));
}

function statusOf(object: object): unknown {
  return (object as { readonly status?: unknown }).status;
}

/** A status is as deep as its schema, so that this may recurse. */
function sameButCounts(a: unknown, b: unknown): boolean {
  if (a === b || (isCount(a) && isCount(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Fields, b as Fields];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => name === 'message' || sameButCounts(left[name], right[name]));
}

function isCount(value: unknown): boolean {
  return value === undefined || typeof value === 'number';
}

function changesOnlyConditions(old: object, object: object): boolean {
  const { conditions: _before, ...before } = (statusOf(old) ?? {}) as Fields;
  const { conditions: _now, ...now } = (statusOf(object) ?? {}) as Fields;
  return sameJson(before, now);
}

type Versioned = Pick<Stored<KubeObject>, 'metadata'>;

/** A spec that changed has another generation; of the rest only what people write into the metadata matters. */
function changesOnlyStatus({ metadata: before }: Versioned, { metadata: now }: Versioned): boolean {
  return (
    before.uid === now.uid &&
    before.generation === now.generation &&
    before.deletionTimestamp === now.deletionTimestamp &&
    sameJson(before.annotations, now.annotations) &&
    sameJson(before.labels, now.labels)
  );
}
