import { Counter, Gauge } from 'prom-client';
import type { Metrics } from '@atoll/kube';
import type { EngineMetrics } from './engine/announce.ts';
import { HeldObjects, namedObjects } from './engine/problems/held-objects.ts';

/** Registers the engine's own metrics beside those of the runtime. */
export function createEngineMetrics({ registry }: Metrics): EngineMetrics {
  const registers = [registry];
  const steps = new Counter({
    name: 'atoll_steps_total',
    help: 'Steps of plans by what became of them: done, failed, or why they were skipped.',
    labelNames: ['controller', 'step', 'reason', 'result'] as const,
    registers,
  });
  const holds = new Gauge({
    name: 'atoll_holds',
    help: 'Objects of a controller that could move and do not, by reason.',
    labelNames: ['controller', 'reason'] as const,
    registers,
  });
  const held = new HeldObjects();
  const named = new Gauge({
    name: 'atoll_object_held',
    help: `1 for each object that could move and does not, with the reason; wrong: whether something is wrong, as opposed to not done yet. At most ${namedObjects} series, those with wrong="true" and those held for longest first; atoll_holds counts all.`,
    labelNames: ['controller', 'namespace', 'name', 'reason', 'wrong'] as const,
    registers,
    // Computed when it is read, so that objects that are held no more have no series.
    collect() {
      named.reset();
      for (const each of held.named()) named.set({ ...each, wrong: String(each.wrong) }, 1);
    },
  });
  return {
    held: (controller, key, reasons) => held.set(controller, key, reasons),
    steps: (controller, step, reason, result, count) =>
      steps.inc({ controller, step, reason, result }, count),
    holds: (controller, reason, objects) => holds.set({ controller, reason }, objects),
  };
}
