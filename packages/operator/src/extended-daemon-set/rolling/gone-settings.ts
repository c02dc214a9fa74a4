import {
  replicaSetConditions,
  type ExtendedDaemonSetCondition,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { instantOf, toTimestamp, type Instant, type Stored } from '@atoll/kube';
import { earliest } from '../../engine/earliest.ts';
import type { HoldRule } from '../../engine/rollout/target-hold.ts';
import { staysAsMade, type NodeTarget } from '../fleet/nodes/node-targets.ts';
import { trueCondition, type OldStatement } from '../replica-sets/conditions.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** So long a setting is gone before its pods are replaced: one that is replaced as a whole is deleted, and made again within seconds. */
const settingGoneForMs = 10_000;

/** Since when each setting is gone that outdated pods were made with, by its name. */
export type GoneSettings = ReadonlyMap<string, Instant>;

/** The settings that are gone. The replica set's condition shows since when each is, so that another process knows it too. */
export function goneSettings(
  replicaSet: ReplicaSet,
  targets: readonly NodeTarget[],
  now: Instant,
): GoneSettings {
  const names = new Set(targets.flatMap((each) => goneOf(each) ?? []));
  const found = shownIn(replicaSet);
  const noted = notedIn(found?.message ?? '');
  return new Map([...names].sort().map((name) => [name, sinceOf(noted.get(name), found, now)]));
}

/** What the condition of the replica set shows of them. */
export function goneStatement(replicaSet: ReplicaSet, gone: GoneSettings | undefined): OldStatement {
  const type = replicaSetConditions.settingsGone;
  const first = earliest([...(gone?.values() ?? [])]);
  if (gone === undefined || first === undefined) return { type, holds: false };
  const found = shownIn(replicaSet);
  const message = namesNone(found) ? undefined : notesOf(gone, notedIn(found?.message ?? ''));
  return { type, holds: true, updatedAt: first, message };
}

/** Pods stay that were made with a setting which went a moment ago: where it is made again, none of them has to be replaced twice. */
export function whereSettingGone(targets: readonly NodeTarget[], gone: GoneSettings): HoldRule {
  if (gone.size === 0) return () => undefined;
  const byNode = new Map(targets.map((each) => [each.target.id, goneOf(each)]));
  return ({ id }, now) => {
    const name = byNode.get(id);
    if (name === undefined) return undefined;
    const until = (gone.get(name) ?? now) + settingGoneForMs;
    if (until <= now) return undefined;
    const waitingUntil = `the ExtendedDaemonsetSetting ${name}, which the pod was made with, has been gone for 10 s: where it comes back before that, no pod restarts`;
    return { reason: 'BatchInterval', waitsFor: 'time', waitingUntil, until };
  };
}

/** The setting of an outdated pod that is not there any more; one that may come back after any time is none of them. */
function goneOf(each: NodeTarget): string | undefined {
  return each.outdatedBy === undefined || staysAsMade(each) ? undefined : each.overrides.gone;
}

function sinceOf(
  time: string | undefined,
  found: ExtendedDaemonSetCondition | undefined,
  now: Instant,
): Instant {
  const first = instantOf(found?.lastUpdateTime);
  // A time that lies ahead is of a clock that was.
  if (first === undefined || first > now) return now;
  const noted = instantOf(time);
  if (noted !== undefined) return noted > now ? now : Math.max(noted, first);
  return namesNone(found) || found?.message?.endsWith(andOthers) === true ? first : now;
}

function shownIn(replicaSet: ReplicaSet): ExtendedDaemonSetCondition | undefined {
  return trueCondition(replicaSet, replicaSetConditions.settingsGone);
}

/** Version 0.6.0 notes one time for all. It counts for all until no setting is gone, so that an upgrade writes nothing. */
function namesNone(found: ExtendedDaemonSetCondition | undefined): boolean {
  return found !== undefined && (found.message ?? '') === '';
}

/** Those that find no room in a condition count as gone since the first one is; what is `noted` keeps its room. */
function notesOf(gone: GoneSettings, noted: ReadonlyMap<string, string>): string {
  const rank = (name: string): number => (noted.has(name) ? 0 : 1);
  const notes = [...gone]
    .sort(([one, a], [other, b]) => rank(one) - rank(other) || a - b)
    .map(([name, at]) => `${name}${since}${toTimestamp(at)}`);
  const all = notes.join(separator);
  if (all.length <= room) return all;
  let shown = '';
  for (const note of notes) {
    const longer = shown === '' ? note : `${shown}${separator}${note}`;
    if (longer.length + andOthers.length > room) break;
    shown = longer;
  }
  return `${shown}${andOthers}`;
}

/** Times by name. Names are values of labels, which have no spaces. */
function notedIn(message: string): ReadonlyMap<string, string> {
  const notes = message.split(separator).map((note) => note.split(since));
  return new Map(notes.map(([name = '', at = '']) => [name, at.split(' ')[0] ?? '']));
}

const since = ' since ';
const separator = ', ';
const andOthers = ' and others';
/** Of a condition's message. */
const room = 512;
