import { controllerOf, keyOf } from '@atoll/kube';
import type { ApiError, KubeObject, Stored } from '@atoll/kube';
import type { Listing, Plan } from '../plan.ts';
import type { CacheUpdate } from './answers/judge.ts';
import type { ExecutionCommand, ExecutionEvent } from './commands.ts';
import type { Facts } from './facts.ts';
import { cacheUpdatesOf } from './open-step.ts';
import type { ExecutionRules, LiveCheck } from './rules.ts';

/** What confirms a plan: objects that are read, and then those that are listed. */
export type Confirmation = LiveCheck | Listing;

/** In the order in which they are asked for. */
export function confirmationsOf(plan: Plan, rules: ExecutionRules): readonly Confirmation[] {
  return [...rules.checksBeforePlan(plan), ...rules.listsBeforePlan(plan)];
}

/** How it is asked for. */
export function commandOf(confirmation: Confirmation): ExecutionCommand {
  if ('labelSelector' in confirmation) return { command: 'list', of: 'plan', listing: confirmation };
  const { resource, key } = confirmation;
  return { command: 'read', of: 'plan', resource, key };
}

export function namespaceOf(confirmation: Confirmation): string | undefined {
  return 'labelSelector' in confirmation ? confirmation.namespace : confirmation.key.namespace;
}

/** Whether the plan is still good, and what the answer shows of the world; undefined: it was not asked for yet. */
export function answerToConfirmation(
  confirmation: Confirmation,
  event: ExecutionEvent,
  facts: Facts,
):
  | { readonly holds: boolean; readonly updates: readonly CacheUpdate[] }
  | { readonly error: ApiError }
  | undefined {
  if (event.event === 'read' && 'holds' in confirmation) {
    const { read } = event;
    if ('error' in read) return read;
    return { holds: confirmation.holds(read.live), updates: cacheUpdatesOf(confirmation, read) };
  }
  if (event.event !== 'listed' || !('labelSelector' in confirmation)) return undefined;
  const { listed } = event;
  if ('error' in listed) return listed;
  const { resource } = confirmation;
  const unseen = listed.listed.filter((object) => counts(confirmation, object, facts));
  return { holds: unseen.length === 0, updates: unseen.map((present) => ({ resource, present })) };
}

/** Whether the plan might be another one with it. */
function counts({ resource, known }: Listing, object: Stored<KubeObject>, { cached }: Facts): boolean {
  const { uid } = object.metadata;
  if (controllerOf(object) === undefined) return !known.includes(uid);
  const found = cached(resource, keyOf(object));
  return found !== 'uncached' && found?.metadata.uid !== uid;
}
