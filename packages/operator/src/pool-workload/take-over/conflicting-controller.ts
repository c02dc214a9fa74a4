import { conditionTypes, fieldManagers, type PoolWorkload, type ReasonWord } from '@atoll/api';
import { conditionOf, type Instant, type Stored } from '@atoll/kube';
import { yurtAppDaemonsOfYurt, type YurtManager } from '../../children/ownership/yurt-managers.ts';
import type { StatusWrite } from '../../engine/controller.ts';
import { hold, type Hold } from '../../engine/hold.ts';
import { sameJson } from '../../engine/same-meaning.ts';
import type { FoundCondition } from '../../engine/status/conditions.ts';
import { conditionsLeftToOthers } from '../../engine/status/left-to-others.ts';
import type { Owner } from '../rendering/render-child.ts';

const reason: ReasonWord = 'ServedByYurtManager';

/** Somebody else serves the same object; two who do would write its status, and children of a new template, against each other. */
export interface ConflictingController {
  readonly hold: Hold;
  /** When the sign is too old to mean anything. */
  readonly until: Instant;
}

/** A write of the status by OpenYurt's controller that is older than this is no sign that it is still at work. */
export const quietMs = 600_000;

/**
 * Who else serves a YurtAppDaemon. OpenYurt's managers have other duties, and from 1.7 on no controller for this kind: that one runs proves nothing. But
 * its controller reconciles with each change of the object, takes the condition WorkLoadFailure away where it sees no failure, and writes
 * only the fields that it knows. So where it is at work, it writes the status after us.
 *
 * A status that only it wrote is what a take-over finds. So is one without our conditions, which are removed on the way back.
 */
export function conflictOf(
  object: Stored<PoolWorkload>,
  managers: readonly YurtManager[],
  now: Instant,
): ConflictingController | undefined {
  const written = lastStatusWrite(object, yurtAppDaemonsOfYurt.managers);
  // A time that lies so far ahead is of a clock that was set back.
  if (written === undefined || Math.abs(now - written.at) >= quietMs) return undefined;
  // All that it may be stand still: what it wrote before is what a take-over finds.
  const writers = managers.filter(({ name }) => name === written.by);
  if (writers.length > 0 && !writers.some(({ runs }) => runs)) return undefined;
  if (!wroteOverUs(object, written.at) && !isHeldForConflict(object)) return undefined;
  const cause = { problem: problemOf(written.by, writers), waitingUntil: waitingUntil(writers) };
  const until = written.at + quietMs;
  return { hold: { ...hold(reason, 'person', [], cause, true), until }, until };
}

/** Without the time of the last write: a message that changes with each of them would be another write. */
function problemOf(by: string, managers: readonly YurtManager[]): string {
  const running = managers.find(({ runs }) => runs);
  const where = running === undefined ? '' : `, ${running.what},`;
  return `OpenYurt's ${by}${where} serves it too, and wrote the status after Atoll. ${remedies[by] ?? 'Scale it to zero'}`;
}

const remedies: Readonly<Record<string, string>> = {
  'yurt-manager':
    'Switch that controller off with --controllers=*,-yurt-app-daemon-controller, or scale yurt-manager to zero',
  'yurt-app-manager':
    'Scale it to zero, or let its variable CUSTOM_RESOURCE_ENABLE name all kinds but NodePool and YurtAppDaemon',
};

function waitingUntil(managers: readonly YurtManager[]): string {
  const quiet = `it has written nothing for ${quietMs / 60_000} minutes`;
  return managers.length > 0 ? `that is done, or ${quiet}` : quiet;
}

/**
 * Times are whole seconds, and it answers our writes within one. But its conditions have no generation, and ours have.
 */
function wroteOverUs(object: Stored<PoolWorkload>, wroteAt: Instant): boolean {
  const own = conditionOf(object, conditionTypes.progressing);
  if (own === undefined) return false;
  const ownAt = lastStatusWrite(object, [fieldManagers.atoll])?.at;
  if (ownAt === undefined || wroteAt > ownAt) return true;
  return wroteAt === ownAt && own.observedGeneration === undefined;
}

/** Our own condition is newer than the other controller's last write; that alone does not end the conflict. */
function isHeldForConflict({ status }: Stored<PoolWorkload>): boolean {
  return status?.conditions?.some((each) => each.reason === reason) === true;
}

/** Whether a workload may be held for a conflict, also where its conditions do not say so yet. */
export function mayBeHeldForConflict(object: Stored<PoolWorkload>): boolean {
  const written = lastStatusWrite(object, yurtAppDaemonsOfYurt.managers);
  return written !== undefined && (isHeldForConflict(object) || wroteOverUs(object, written.at));
}

function lastStatusWrite(
  { metadata: { managedFields = [] } }: Stored<PoolWorkload>,
  managers: readonly string[],
): { readonly by: string; readonly at: Instant } | undefined {
  return managedFields
    .filter(({ manager = '', subresource }) => subresource === 'status' && managers.includes(manager))
    .map(({ manager = '', time = '' }) => ({ by: manager, at: Date.parse(time) }))
    .filter(({ at }) => !Number.isNaN(at))
    .reduce<{ readonly by: string; readonly at: Instant } | undefined>(
      (last, each) => (last === undefined || each.at > last.at ? each : last),
      undefined,
    );
}

/**
 * That it is so, in the conditions that the other controller leaves alone. It takes generations away with each write of its own, of which it may make one
 * after another: these alone are not written again.
 */
export function reportConflict(
  { resource, object }: Owner,
  conflict: ConflictingController,
  now: Instant,
): readonly StatusWrite[] {
  const found = object.status?.conditions ?? [];
  const conditions = conditionsLeftToOthers(found, conflict.hold, object.metadata.generation, now);
  if (sameJson(withoutGenerations(conditions), withoutGenerations(found))) return [];
  return [{ resource, object, status: { ...object.status, conditions } }];
}

function withoutGenerations(conditions: readonly FoundCondition[]): readonly object[] {
  return conditions.map(({ observedGeneration: _its, ...rest }) => rest);
}
