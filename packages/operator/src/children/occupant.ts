import { controllerOf, type Instant, type KubeObject, type Stored } from '@atoll/kube';
import { hold, type Hold } from '../engine/hold.ts';
import type { ChildOwner } from './owner.ts';

/** An object that stands where a child is to be made. */
export interface Occupant {
  readonly kind: string;
  readonly name: string;
  /** Ours and on its way out; otherwise somebody else's. */
  readonly ours: boolean;
  readonly holder: string;
  /** Nobody waits for it any longer than that. */
  readonly until?: Instant;
}

export function occupantOf({ object }: ChildOwner, kind: string, found: Stored<KubeObject>): Occupant {
  const controller = controllerOf(found);
  return {
    kind,
    name: found.metadata.name,
    ours: controller?.uid === object.metadata.uid,
    holder: controller === undefined ? 'nobody' : `${controller.kind} ${controller.name}`,
  };
}

/** Why nothing is made in its place. */
export function occupiedHold({ kind, name, ours, holder, until }: Occupant, target: string): Hold {
  if (ours) {
    const waitingUntil = `the old ${kind} ${name}, which is being deleted, is gone`;
    const held = hold('NameTaken', 'time', [target], { waitingUntil }, false);
    return until === undefined ? held : { ...held, until };
  }
  const owner = holder === 'nobody' ? 'has no controller' : `is controlled by ${holder}`;
  const problem = `the ${kind} ${name} exists already and ${owner}. Delete it if it is not needed, or give this object another name`;
  return hold('NameTaken', 'person', [target], { problem }, true);
}
