import type { KubeObject, Stored } from '@atoll/kube';
import type { AuditEntry } from './audit-entry.ts';
import type { Effect, History, HistoryEntry, Write, WriteResult } from './history.ts';
import { objectChanges } from './object-changes.ts';
import { isClosed } from './recording-gap.ts';
import type { RecordedEvent, RecordingGap } from './recorded-event.ts';

const writeVerbs = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

export interface Evidence {
  readonly audit: readonly AuditEntry[];
  readonly events: readonly RecordedEvent[];
  readonly gaps: readonly RecordingGap[];
}

/**
 * Joins who wrote (audit) and what changed (recorder) by uid and the response's resourceVersion. A deletion that
 * took effect at once has no resourceVersion in a Status response: it is joined to the object's DELETED event.
 */
export function joinHistory(evidence: Evidence): History {
  const events = inOrder(evidence.events);
  const seen = new Set(events.map(({ uid, version }) => `${uid} ${version}`));
  const unclaimed = new UnclaimedEffects(effectsOf(events), seen);
  const writes = evidence.audit.filter(
    (entry) => entry.stage === 'ResponseComplete' && writeVerbs.has(entry.verb),
  );
  const entries: HistoryEntry[] = likeliestFirst(writes, unclaimed).map((audit) =>
    joinWrite(audit, unclaimed),
  );
  for (const effect of unclaimed.rest()) {
    entries.push({ kind: 'unexplained', at: effect.event.at, effect });
  }
  const gaps = evidence.gaps.filter((gap) => !isClosed(gap, entries));
  return { entries: sortEntries(entries), events, gaps };
}

/**
 * A write that changed nothing answers with the version that another made, and the log may name it earlier. So creates
 * come before updates, and what is written to the status before (or after) the rest, by the change.
 */
function likeliestFirst(writes: readonly AuditEntry[], unclaimed: UnclaimedEffects): readonly AuditEntry[] {
  const ranked = writes.map((audit) => ({ audit, rank: rankOf(audit, unclaimed) }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ audit }) => audit);
}

function rankOf(audit: AuditEntry, unclaimed: UnclaimedEffects): number {
  if (audit.verb === 'create') return 0;
  const { uid, resourceVersion } = answeredMetadata(audit);
  const effect = uid === undefined ? undefined : unclaimed.peek(uid, resourceVersion ?? '');
  if (effect?.event.type !== 'MODIFIED') return 1;
  const ofStatus = effect.changes.every(({ path }) => path === 'status' || path.startsWith('status.'));
  return ofStatus === (audit.subresource === 'status') ? 1 : 2;
}

/** By version, each event once: a stream that broke off while listing has sent some of them twice. */
function inOrder(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const once = new Map(events.map((event) => [`${event.type} ${event.uid} ${event.version}`, event]));
  return [...once.values()].sort((a, b) => a.version - b.version);
}

function effectsOf(events: readonly RecordedEvent[]): readonly Effect[] {
  const last = new Map<string, Stored<KubeObject>>();
  const effects: Effect[] = [];
  for (const event of events) {
    const before = last.get(event.uid);
    last.set(event.uid, event.object);
    if (event.initial) continue;
    const changes = event.type === 'MODIFIED' ? objectChanges(before, event.object) : [];
    effects.push({ event, before, changes });
  }
  return effects;
}

/** Effects that no write has claimed yet; each can be claimed once. */
class UnclaimedEffects {
  readonly #byVersion = new Map<string, Effect>();
  readonly #deletions = new Map<string, Effect>();
  readonly #seen: ReadonlySet<string>;

  constructor(effects: readonly Effect[], seen: ReadonlySet<string>) {
    this.#seen = seen;
    for (const effect of effects) {
      const { uid, version, type } = effect.event;
      this.#byVersion.set(`${uid} ${version}`, effect);
      if (type === 'DELETED') this.#deletions.set(uid, effect);
    }
  }

  /** Has the object been recorded in exactly this version? */
  has(uid: string, version: string): boolean {
    return this.#seen.has(`${uid} ${version}`);
  }

  /** What could be claimed, and stays. */
  peek(uid: string, version: string): Effect | undefined {
    return this.#byVersion.get(`${uid} ${version}`);
  }

  claim(uid: string, version: string): Effect | undefined {
    const key = `${uid} ${version}`;
    const effect = this.#byVersion.get(key);
    this.#byVersion.delete(key);
    if (effect?.event.type === 'DELETED') this.#deletions.delete(uid);
    return effect;
  }

  claimDeletion(uid: string): Effect | undefined {
    const effect = this.#deletions.get(uid);
    return effect === undefined ? undefined : this.claim(uid, String(effect.event.version));
  }

  /** The first effect on the object that nobody has claimed and that fits. */
  claimFirst(uid: string, fits: (effect: Effect) => boolean): Effect | undefined {
    for (const effect of this.#byVersion.values()) {
      if (effect.event.uid === uid && fits(effect)) return this.claim(uid, String(effect.event.version));
    }
    return undefined;
  }

  rest(): Iterable<Effect> {
    return this.#byVersion.values();
  }
}

function joinWrite(audit: AuditEntry, unclaimed: UnclaimedEffects): Write {
  const write = { kind: 'write', at: audit.at, audit } as const;
  if (audit.code < 200 || audit.code >= 300) return { ...write, result: 'refused', effects: [] };
  if (audit.dryRun) return { ...write, result: 'dry-run', effects: [] };
  const effects =
    audit.subresource === 'binding'
      ? claimBinding(audit, unclaimed)
      : answeredObjects(audit).flatMap((object) => claimFor(audit, object, unclaimed));
  return {
    ...write,
    result: effects.length > 0 ? 'changed' : resultWithoutEffect(audit, unclaimed),
    effects,
  };
}

interface AnsweredObject {
  readonly uid: string;
  readonly resourceVersion: string | undefined;
  /** Nothing keeps the object any more. */
  readonly going: boolean;
}

function answeredObjects(audit: AuditEntry): readonly AnsweredObject[] {
  const response = audit.response as
    (Partial<KubeObject> & { readonly items?: readonly KubeObject[] }) | undefined;
  if (audit.verb === 'deletecollection') return (response?.items ?? []).flatMap(asAnswered);
  const answered = response === undefined ? [] : asAnswered(response);
  if (answered.length > 0 || audit.uid === undefined) return answered;
  return [{ uid: audit.uid, resourceVersion: undefined, going: audit.verb === 'delete' }];
}

function asAnswered(object: Partial<KubeObject>): AnsweredObject[] {
  const { uid, resourceVersion, deletionTimestamp, finalizers = [] } = object.metadata ?? {};
  if (uid === undefined) return [];
  return [{ uid, resourceVersion, going: deletionTimestamp !== undefined && finalizers.length === 0 }];
}

function claimFor(audit: AuditEntry, object: AnsweredObject, unclaimed: UnclaimedEffects): readonly Effect[] {
  const { uid, resourceVersion, going } = object;
  const exact = resourceVersion === undefined ? undefined : unclaimed.claim(uid, resourceVersion);
  if (exact?.event.type === 'DELETED') {
    // Deleting at once what has a grace period takes two steps of one request: the grace is set to 0, then it goes.
    const cut = unclaimed.claimFirst(uid, cutsGrace);
    return cut === undefined ? [exact] : [cut, exact];
  }
  if (exact !== undefined) return [exact];
  // A graceful deletion answers with the object that still waits; its end is somebody else's write.
  const atOnce =
    resourceVersion === undefined ? audit.verb === 'delete' : going || audit.verb === 'deletecollection';
  const gone = atOnce && !isGraceful(audit) ? unclaimed.claimDeletion(uid) : undefined;
  return gone === undefined ? [] : [gone];
}

function cutsGrace({ changes }: Effect): boolean {
  return changes.some(({ path, to }) => path === 'metadata.deletionGracePeriodSeconds' && to === 0);
}

/** A binding answers with a bare Status; its request names the pod's uid. */
function claimBinding(audit: AuditEntry, unclaimed: UnclaimedEffects): readonly Effect[] {
  const { uid } = (audit.request as Partial<KubeObject> | undefined)?.metadata ?? {};
  if (uid === undefined) return [];
  const bound = unclaimed.claimFirst(uid, ({ changes }) =>
    changes.some(({ path }) => path === 'spec.nodeName'),
  );
  return bound === undefined ? [] : [bound];
}

function isGraceful(audit: AuditEntry): boolean {
  return (
    (audit.verb === 'delete' || audit.verb === 'deletecollection') &&
    (answeredMetadata(audit).deletionGracePeriodSeconds ?? 0) > 0
  );
}

function resultWithoutEffect(audit: AuditEntry, unclaimed: UnclaimedEffects): WriteResult {
  const { uid, resourceVersion } = answeredMetadata(audit);
  if (audit.verb === 'create' || uid === undefined || resourceVersion === undefined) return 'unseen';
  return unclaimed.has(uid, resourceVersion) ? 'unchanged' : 'unseen';
}

/**
 * By version; a write that changed nothing stands after the version that it answered, and one without a version
 * where its completion falls among the others'. Completion order is not commit order, so versions decide wherever
 * they are known.
 */
function sortEntries(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const byTime = [...entries].sort((a, b) => a.at - b.at);
  let latest = 0;
  const placed = byTime.map((entry) => {
    const own = versionOf(entry);
    latest = Math.max(latest, own ?? 0);
    return { entry, version: own ?? answeredVersionOf(entry) ?? latest, caused: own !== undefined };
  });
  placed.sort((a, b) => a.version - b.version || Number(b.caused) - Number(a.caused));
  return placed.map(({ entry }) => entry);
}

function versionOf(entry: HistoryEntry): number | undefined {
  return entry.kind === 'unexplained' ? entry.effect.event.version : entry.effects.at(-1)?.event.version;
}

function answeredVersionOf(entry: HistoryEntry): number | undefined {
  if (entry.kind !== 'write' || entry.result !== 'unchanged') return undefined;
  return Number(answeredMetadata(entry.audit).resourceVersion);
}

/** Of the object that was answered; nothing where none was. */
function answeredMetadata({ response }: AuditEntry): Partial<KubeObject['metadata']> {
  return (response as Partial<KubeObject> | undefined)?.metadata ?? {};
}
