import { conditionTypes, type ReasonWord } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { mergeConditions, overallStatements } from '../../engine/status/conditions.ts';
import type { StatusWrite } from '../../engine/controller.ts';
import { hold, type Hold } from '../../engine/hold.ts';
import { nothingToDo, type Plan } from '../../engine/plan.ts';
import { refusedByLeftWebhooks, rivalOf, type KruiseFacts, type Rival } from './kruise-manager.ts';
import type { UnitedDeploymentSnapshot } from '../observe.ts';

const { ready, progressing, degraded, stalled } = conditionTypes;
const reason: ReasonWord = 'ServedByKruise';

/** Children are left to the rival, all of them: half of the work done twice is worse than none. */
export function standAside(snapshot: UnitedDeploymentSnapshot, now: Instant): Plan | undefined {
  const rival = rivalFor(snapshot, now);
  if (rival === undefined) return undefined;
  const { freedBy, until } = rival;
  const held = hold(reason, 'person', [], freedBy, true);
  return {
    ...nothingToDo,
    holds: [until === undefined ? held : { ...held, until }],
    ...(until === undefined ? {} : { lookAgainAt: until }),
  };
}

/**
 * That it is so, in the conditions that Kruise leaves alone: it takes away `SubsetFailure` where it sees no failure, and
 * looks again at each change of the status. All else stays as the rival wrote it.
 */
export function reportRival(
  snapshot: UnitedDeploymentSnapshot,
  now: Instant,
): readonly StatusWrite[] | undefined {
  const rival = rivalFor(snapshot, now);
  if (rival === undefined) return undefined;
  const { resource, object } = snapshot.owner;
  if (isTerminating(object)) return [];
  const message = `it is served by somebody else, until ${rival.freedBy}`;
  const trouble = { reason, message, since: now, stalls: 'now' } as const;
  const standing = { observed: true, done: false, moving: false, reason, message, trouble };
  const own = [ready, progressing, degraded, stalled];
  const { conditions } = object.status ?? {};
  const { generation } = object.metadata;
  const stated = mergeConditions(conditions, overallStatements(standing, now), own, generation, now);
  return [{ resource, object, status: { ...object.status, conditions: stated } }];
}

/** Holds nothing back: children are made all the same, and the API server may refuse what people write. */
export function leftWebhooks(facts: KruiseFacts): readonly Hold[] {
  const freedBy = refusedByLeftWebhooks(facts);
  if (freedBy === undefined) return [];
  return [hold('KruiseWebhooksLeft', 'person', [], freedBy, false)];
}

function rivalFor({ owner, kruise, certain }: UnitedDeploymentSnapshot, now: Instant): Rival | undefined {
  return certain ? rivalOf(owner.object, kruise, now) : undefined;
}
