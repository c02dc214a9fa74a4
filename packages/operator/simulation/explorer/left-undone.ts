import { formatKey, keyOf, type KubeObject, type Resource, type Stored } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import type { Controller } from '../../src/engine/controller.ts';
import { isReadByPlans } from '../../src/engine/reconcile/keys-to-enqueue.ts';
import type { FreshWorld } from '../examples/fresh-world.ts';
import { planOf } from './planned.ts';

type Act = (world: FreshWorld) => void;

/** A play of one object: what happens to it, act by act. */
export interface Play<T extends KubeObject, Snapshot> {
  readonly resource: Resource<T>;
  readonly object: T;
  readonly begin: () => { readonly world: FreshWorld; readonly controller: Controller<Snapshot> };
  readonly acts: readonly Act[];
}

/** Acts: something changes while the API server refuses to write objects of a kind, for more than a minute. */
export function refusedForAWhile(resource: object, change: Act): readonly Act[] {
  return [
    (world) => {
      world.refuse = (operation) => (operation.resource === resource ? refused : undefined);
      change(world);
    },
    (world) => void (world.now += 61_000),
    (world) => void (world.refuse = () => undefined),
  ];
}

const refused = refusalOf(403, 'write', 'refused by a policy');

type Status = Readonly<Record<string, unknown>>;

/**
 * Looks for something that is left undone when the echo of a status causes no reconcile: before and after each reconcile of the play,
 * what {@link isReadByPlans} does not look at in the status takes the values of all that it ever was. The plan must have no step that
 * it had not before, and wait for nothing else. Throws with the first that has. Yields how many were tried.
 */
export function leavesNothingUndone<T extends KubeObject, Snapshot>(play: Play<T, Snapshot>): number {
  const statuses: Status[] = [{}];
  perform(play, (world) => void statuses.push(statusIn(play, world)));
  let tried = 0;
  perform(play, (world, controller) => {
    const now = { object: objectIn(play, world), plan: planIn(play, world, controller) };
    for (const other of statuses) {
      const mixture = withCountsOf(other, statusOf(now.object)) as Status;
      if (isReadByPlans({ status: mixture }, { status: statusOf(now.object) }))
        throw new Error(`${JSON.stringify(mixture)} differs in more than numbers and messages`);
      setStatus(play, world, mixture);
      tried += 1;
      const { steps, waits } = planIn(play, world, controller);
      const more = now.plan.steps.filter((step) => !steps.includes(step));
      if (more.length > 0) throw new Error(`left undone after ${JSON.stringify(mixture)}: ${more.join()}`);
      if (waits === now.plan.waits) continue;
      throw new Error(`waits for ${now.plan.waits}, and after ${JSON.stringify(mixture)} for ${waits}`);
    }
    setStatus(play, world, statusOf(now.object));
  });
  return tried;
}

/** The second with the numbers and messages of the first, where that has any. */
function withCountsOf(other: unknown, value: unknown, name = ''): unknown {
  if (typeof value === 'number') return typeof other === 'number' ? other : undefined;
  if (name === 'message') return typeof other === 'string' ? other : value;
  if (Array.isArray(value)) {
    return value.map((each, at) => withCountsOf(Array.isArray(other) ? other[at] : undefined, each));
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = (other ?? {}) as Status;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withCountsOf(fields[key], each, key)]),
  );
}

function perform<T extends KubeObject, Snapshot>(
  { object, begin, acts }: Play<T, Snapshot>,
  look: (world: FreshWorld, controller: Controller<Snapshot>) => void,
): void {
  const { world, controller } = begin();
  for (const act of acts) {
    act(world);
    look(world, controller);
    for (let count = 0; count < 3; count += 1) {
      const reconciled = world.reconcile(controller, formatKey(keyOf(object)));
      // After a reconcile that wrote nothing the world is the one that was looked at.
      if (reconciled.outcome.results.length === 0 && !reconciled.statusWritten) break;
      look(world, controller);
    }
  }
}

/** As texts, without the version of the object, which is a precondition of what is written of it. */
function planIn<T extends KubeObject, Snapshot>(
  play: Play<T, Snapshot>,
  world: FreshWorld,
  controller: Controller<Snapshot>,
): { readonly steps: readonly string[]; readonly waits: string } {
  const snapshot = controller.observe(keyOf(play.object));
  if (snapshot === undefined) throw new Error(`${play.object.metadata.name} is gone`);
  const { stages, holds, targets, requeueAt } = planOf(controller, snapshot, world.now);
  const own = objectIn(play, world).metadata;
  const text = (value: unknown): string =>
    JSON.stringify(value).replaceAll(`"resourceVersion":"${own.resourceVersion}"`, '');
  return {
    steps: stages.flatMap(({ steps }) => steps.map((step) => text(step))),
    waits: text({ holds, targets, requeueAt }),
  };
}

function objectIn<T extends KubeObject>(play: Play<T, unknown>, world: FreshWorld): Stored<T> {
  return world.get(play.resource, keyOf(play.object));
}

function statusIn<T extends KubeObject>(play: Play<T, unknown>, world: FreshWorld): Status {
  return statusOf(objectIn(play, world));
}

function statusOf(object: object): Status {
  return (object as { readonly status?: Status }).status ?? {};
}

function setStatus<T extends KubeObject>(play: Play<T, unknown>, world: FreshWorld, status: Status): void {
  world.edit(play.resource, keyOf(play.object), (found) => ({ ...found, status }));
}
