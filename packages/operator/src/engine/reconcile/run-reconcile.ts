import { parseKey } from '@atoll/kube';
import type { Controller } from '../controller.ts';
import { ControllerCommands, statusKey } from './controller-commands.ts';
import { beginReconcile, nextOf } from './machine.ts';
import type { ControllerCommand, ControllerEvent, Ended, Reconcile } from './machine.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import { within } from './reconcile-end.ts';
import type { ReconcileEnd } from './reconcile-end.ts';
import { shippedRules } from './rules.ts';

/** Reconciles a key: drives the machine with the controller, the executor and what the process remembers. */
export async function runReconcile<Snapshot, Decision>(
  controller: Controller<Snapshot, Decision>,
  key: string,
  deps: ReconcileDeps,
): Promise<ReconcileEnd> {
  const { executor, refusals, changedBack, clock, signal } = deps;
  const { name, resource } = controller;
  const commands = new ControllerCommands(controller, key, deps);
  const ended = await executor.drive<Reconcile, ControllerEvent, ControllerCommand, Ended>(
    {
      begin: (memory, bound) => beginReconcile({ resource, key: parseKey(key), bound, memory }, shippedRules),
      next: (state, event, facts) => nextOf(state, event, facts, shippedRules),
      carryOut: (command) => commands.carryOut(command),
      resultOf: (state) => (state.phase === 'ended' ? state : undefined),
    },
    { controller: name, key, signal },
  );
  if (ended.gone) forget(controller, key, deps);
  if (ended.outcome === undefined) return ended.result;
  const { results } = ended.outcome;
  const at = clock.monotonic();
  return within(
    changedBack?.ended(key, results, at),
    within(refusals?.ended(key, results, at), ended.result),
  );
}

/** Drops what the process remembers of an object that is gone. */
function forget<Snapshot>(
  { name }: Controller<Snapshot>,
  key: string,
  { executor, refusals, inspections, announcer }: ReconcileDeps,
): void {
  const work = { controller: name, key };
  executor.forget(work);
  refusals?.gone(key);
  inspections?.want(name, key, []);
  announcer.forget(work);
  announcer.forget({ ...work, key: statusKey(key) });
}
