import { conditionTypes, yurtManagers, type PoolWorkload, type ReasonWord } from '@atoll/api';
import { conditionOf, type Instant, type Stored } from '@atoll/kube';
import {
  isHeldAs,
  isRecent,
  isWrittenOverUs,
  lastStatusWrite,
  quietMs,
} from '../../children/ownership/status-writers.ts';
import { yurtAppDaemonsOfYurt, type YurtManager } from '../../children/ownership/yurt-managers.ts';
import type { StatusWrite } from '../../engine/controller.ts';
import { hold, type Hold } from '../../engine/hold.ts';
import { sameJson } from '../../engine/same-meaning.ts';
import type { FoundCondition } from '../../engine/status/conditions.ts';
import { conditionsLeftToOthers } from '../../engine/status/left-to-others.ts';
import type { Owner } from '../rendering/render-child.ts';

const reason: ReasonWord = 'ServedByYurtManager';

/**
 * A hold where somebody else serves a YurtAppDaemon: two who do would write its status, and children of a new template, against each other. It ends when
 * the sign is too old to mean anything.
 *
 * OpenYurt's managers have other duties, and from 1.7 on no controller for this kind: that one runs proves nothing. But its controller reconciles with
 * each change of the object, takes the condition WorkLoadFailure away where it sees no failure, and writes only the fields that it knows. So where it
 * is at work, it writes the status after us.
 *
 * A status that only it wrote is what a take-over finds. So is one without our conditions, which are removed on the way back.
 */
export function conflictOf(
  object: Stored<PoolWorkload>,
  managers: readonly YurtManager[],
  now: Instant,
): Hold | undefined {
  const written = lastStatusWrite(object, yurtAppDaemonsOfYurt.managers);
  if (written === undefined || !isRecent(written.at, now)) return undefined;
  // All that it may be stand still: what it wrote before is what a take-over finds.
  const writers = managers.filter(({ name }) => name === written.by);
  if (writers.length > 0 && !writers.some(({ runs }) => runs)) return undefined;
  if (!wroteOverUs(object, written.at) && !isHeldForConflict(object)) return undefined;
  const cause = { problem: problemOf(written.by, writers), waitingUntil: waitingUntil(writers) };
  return { ...hold(reason, 'person', [], cause, true), until: written.at + quietMs };
}

/** Without the time of the last write: a message that changes with each of them would be another write. */
function problemOf(by: string, managers: readonly YurtManager[]): string {
  const running = managers.find(({ runs }) => runs);
  const where = running === undefined ? '' : `, ${running.what},`;
  return `OpenYurt's ${by}${where} serves it too, and wrote the status after Atoll. ${remedies[by] ?? 'Scale it to zero'}`;
}

/** The flag is Atoll's, too, so the message says whose. Webhooks that nothing answers refuse every write of the kind. */
const remedies: Readonly<Record<string, string>> = {
  [yurtManagers.manager]:
    'Switch that controller off there: add -yurt-app-daemon-controller (in 1.3 -yurtappdaemon) to its flag --controllers, whose default is *, and delete its webhooks for this kind',
  [yurtManagers.appManager]:
    'Scale it to zero, or let its variable CUSTOM_RESOURCE_ENABLE name all kinds but NodePool and YurtAppDaemon, and delete its webhooks for these two',
};

function waitingUntil(managers: readonly YurtManager[]): string {
  const quiet = `it has written nothing for ${quietMs / 60_000} minutes`;
  return managers.length > 0 ? `that is done, or ${quiet}` : quiet;
}

/** Our conditions are removed on the way back: a status without them is as good as one that we never wrote. */
function wroteOverUs(object: Stored<PoolWorkload>, wroteAt: Instant): boolean {
  const isReported = conditionOf(object, conditionTypes.progressing) !== undefined;
  return isReported && isWrittenOverUs(object, wroteAt);
}

function isHeldForConflict(object: Stored<PoolWorkload>): boolean {
  return isHeldAs(reason, object);
}

/** Whether a workload may be held for a conflict, also where its conditions do not say so yet. */
export function mayBeHeldForConflict(object: Stored<PoolWorkload>): boolean {
  const written = lastStatusWrite(object, yurtAppDaemonsOfYurt.managers);
  return written !== undefined && (isHeldForConflict(object) || wroteOverUs(object, written.at));
}

/**
 * That it is so, in the conditions that the other controller leaves alone. It takes generations away with each write of its own, of which it may make one
 * after another: these alone are not written again.
 */
export function reportConflict(
  { resource, object }: Owner,
  conflict: Hold,
  now: Instant,
): readonly StatusWrite[] {
  const found = object.status?.conditions ?? [];
  const conditions = conditionsLeftToOthers(found, conflict, object.metadata.generation, now);
  if (sameJson(withoutGenerations(conditions), withoutGenerations(found))) return [];
  return [{ resource, object, status: { ...object.status, conditions } }];
}

function withoutGenerations(conditions: readonly FoundCondition[]): readonly object[] {
  return conditions.map(({ observedGeneration: _its, ...rest }) => rest);
}
