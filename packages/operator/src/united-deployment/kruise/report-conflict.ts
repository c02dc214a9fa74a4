import type { Instant } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { conditionsLeftToOthers } from '../../engine/status/left-to-others.ts';
import type { StatusWrite } from '../../engine/controller.ts';
import { hold, type Hold } from '../../engine/hold.ts';
import { refusedByLeftWebhooks, type KruiseFacts } from './kruise-manager.ts';
import type { UnitedDeploymentSnapshot } from '../observe.ts';

/**
 * That it is so, in the conditions that Kruise leaves alone: it takes away `SubsetFailure` where it sees no failure, and
 * reconciles at each change of the status. All else stays as that controller wrote it.
 */
export function reportConflict(
  { owner }: UnitedDeploymentSnapshot,
  conflict: Hold,
  now: Instant,
): readonly StatusWrite[] {
  const { resource, object } = owner;
  if (isTerminating(object)) return [];
  const { conditions } = object.status ?? {};
  const { generation } = object.metadata;
  const stated = conditionsLeftToOthers(conditions, conflict, generation, now);
  return [{ resource, object, status: { ...object.status, conditions: stated } }];
}

/** Holds nothing back: children are made all the same, and the API server may refuse what people write. */
export function leftWebhooks(facts: KruiseFacts): readonly Hold[] {
  const problem = refusedByLeftWebhooks(facts);
  if (problem === undefined) return [];
  return [hold('KruiseWebhooksLeft', 'person', [], { problem }, false)];
}
