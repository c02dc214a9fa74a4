import { Counter, Gauge } from 'prom-client';
import type { Metrics } from '@atoll/kube';
import type { EngineMetrics } from './engine/announce.ts';

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
  return {
    steps: (controller, step, reason, result, count) =>
      steps.inc({ controller, step, reason, result }, count),
    holds: (controller, reason, objects) => holds.set({ controller, reason }, objects),
  };
}
