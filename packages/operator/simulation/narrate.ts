import type { Reconciled } from './examples/fresh-world.ts';
import type { FreshWorld } from './examples/fresh-world.ts';
import { describeCause } from '../src/engine/problems/describe-hold.ts';
import type { Controller } from '../src/engine/controller.ts';
import { describeStep } from './describe.ts';

interface Conditioned {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Writes down what a controller does in a world, as a text that people can read and a golden file can hold. */
export class Narrator<Snapshot> {
  readonly #world: FreshWorld;
  readonly #controller: Controller<Snapshot>;
  readonly #lines: string[] = [];

  constructor(world: FreshWorld, controller: Controller<Snapshot>) {
    this.#world = world;
    this.#controller = controller;
  }

  /** Somebody does something; then the controller runs until it rests. */
  step(what: string, act: () => void, key: string): void {
    act();
    this.#lines.push(what);
    const reconciles = this.#world.untilSteady(this.#controller, key);
    const lines = reconciles.flatMap(linesOf);
    this.#lines.push(...(lines.length === 0 ? ['  nothing is done'] : lines), '');
  }

  /** The status as it is now. */
  status(what: string, conditions: readonly Conditioned[] = []): void {
    this.#lines.push(what);
    for (const { type, status, reason, message } of conditions) {
      const because = [reason, message].filter((text) => text !== undefined && text !== '').join(': ');
      this.#lines.push(`  ${type} ${status}${because === '' ? '' : ` — ${because}`}`);
    }
    this.#lines.push('');
  }

  text(): string {
    return this.#lines.join('\n');
  }
}

function linesOf({ plan, outcome, events }: Reconciled): readonly string[] {
  const lines: string[] = [];
  for (const stage of plan.stages) {
    lines.push(`  ${stage.name}`);
    for (const step of stage.steps) {
      const result = outcome.results.find((each) => each.step === step);
      const fate =
        result?.did === 'failed'
          ? ` (failed: ${result.error.message})`
          : result?.did === 'skipped'
            ? ` (skipped: ${result.because})`
            : '';
      lines.push(`    ${describeStep(step)}${fate}`);
    }
  }
  for (const hold of plan.holds) {
    const held = hold.count === 0 ? '' : ` ${hold.targets.join(', ')}`;
    lines.push(`  holds${held} — ${hold.reason}: ${describeCause(hold)}`);
  }
  for (const event of events) lines.push(`  event ${event.type} ${event.reason}: ${event.note}`);
  return lines;
}
