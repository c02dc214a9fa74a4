import fc from 'fast-check';
import { chooseTargets, type RolloutLimits } from './choose-targets.ts';
import type { At, Health, Reach, Target } from './target.ts';

/** What happens to a fleet; the target is the number of the event modulo their count. */
export type FleetEvent =
  | { readonly do: 'round' | 'edit' | 'restart' }
  | { readonly do: 'pass'; readonly ms: number }
  | {
      readonly do: 'refuse' | 'see' | 'fail' | 'recover' | 'leave' | 'return';
      readonly target: number;
    };

export const anyEvents: fc.Arbitrary<readonly FleetEvent[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<FleetEvent>({ do: 'round' }) },
    { weight: 1, arbitrary: fc.constantFrom<FleetEvent>({ do: 'edit' }, { do: 'restart' }) },
    { weight: 1, arbitrary: fc.constantFrom(10_000, 60_000).map((ms): FleetEvent => ({ do: 'pass', ms })) },
    {
      weight: 12,
      arbitrary: fc
        .tuple(fc.constantFrom('refuse', 'see', 'fail', 'recover', 'leave', 'return'), fc.nat(5))
        .map(([does, target]) => ({ do: does, target }) as FleetEvent),
    },
  ),
  { maxLength: 60 },
);

interface Thing {
  at: At;
  health: Health;
}

/**
 * A fleet as its controller and as nobody sees it: what runs, and what the caches show of it. What a write did is seen before the
 * next decision: its answer goes into the cache, and one that was lost is read back. Faults come only from events, so that
 * everything that breaks a rule is found with what led to it.
 */
export class SimulatedFleet {
  readonly ids: readonly string[];
  readonly real = new Map<string, Thing>();
  readonly seen = new Map<string, Thing>();
  readonly reach = new Map<string, Reach>();
  /** Of these the next write has no effect. */
  readonly refused = new Set<string>();
  /** Taken down while healthy, and not healthy since. */
  readonly takenDown = new Set<string>();
  /** By target: the revision that it is to run, and has not run healthily since. */
  readonly changing = new Map<string, string>();
  readonly broken: string[] = [];
  wanted = 1;
  now = 1_000_000;
  private readonly limits: RolloutLimits;

  constructor(size: number, limits: RolloutLimits) {
    this.limits = limits;
    this.ids = Array.from({ length: size }, (_, i) => `t${i}`);
    for (const id of this.ids) {
      this.real.set(id, { at: { revision: '0' }, health: 'healthy' });
      this.seen.set(id, { at: { revision: '0' }, health: 'healthy' });
      this.reach.set(id, 'reachable');
    }
  }

  targets(): readonly Target[] {
    return this.ids.map((id) => ({
      id,
      labels: {},
      ...this.thing(this.seen, id),
      wanted: String(this.wanted),
      reach: this.reach.get(id) ?? 'reachable',
    }));
  }

  happen(event: FleetEvent): void {
    if ('target' in event) this.happenTo(this.ids[event.target % this.ids.length] ?? '', event.do);
    else if (event.do === 'pass') this.now += event.ms;
    else if (event.do === 'round') this.round();
    else if (event.do === 'edit') this.wanted += 1;
    else for (const id of this.ids) this.see(id);
    for (const id of this.ids) this.noteRecovery(id);
  }

  /** One decision, and its writes. */
  round(): number {
    const targets = this.targets();
    const { byTarget } = chooseTargets({ targets, limits: this.limits, now: this.now });
    const downBefore = this.takenDown.size;
    let begun = 0;
    for (const target of targets) {
      const answer = byTarget.get(target.id);
      if (answer?.do !== 'start' && answer?.do !== 'create') continue;
      begun += 1;
      this.write(target, answer.revision);
    }
    if (begun > 0) this.check({ tookDown: this.takenDown.size > downBefore });
    return begun;
  }

  /** Everything is reachable, becomes healthy and is seen. */
  untilSteady(): void {
    for (const id of this.ids) {
      this.refused.delete(id);
      for (const does of ['return', 'recover', 'see'] as const) this.happenTo(id, does);
      this.noteRecovery(id);
    }
  }

  /**
   * More than the budget may be down where nobody took them down now: what was down on a node that was away counts again when the node
   * is back, and what is down already may be changed.
   */
  private check({ tookDown }: { readonly tookDown: boolean }): void {
    const { value } = this.limits.unavailable;
    const counts = (id: string): boolean => !this.isExempt(id);
    const down = [...this.takenDown].filter(counts);
    if (tookDown && down.length > Number(value)) this.broken.push(`taken down at once: ${down.join(', ')}`);
    const changing = [...this.changing]
      .filter(([id, revision]) => counts(id) && revision === String(this.wanted))
      .map(([id]) => id);
    if (changing.length > Number(value)) this.broken.push(`changed at once: ${changing.join(', ')}`);
  }

  private isExempt(id: string): boolean {
    const reach = this.reach.get(id) ?? 'reachable';
    const { countsForMs } = this.limits.away;
    return reach !== 'reachable' && reach.awaySince + countsForMs <= this.now;
  }

  private happenTo(id: string, does: 'refuse' | 'see' | 'fail' | 'recover' | 'leave' | 'return'): void {
    const thing = this.thing(this.real, id);
    if (does === 'refuse') this.refused.add(id);
    if (does === 'see') this.see(id);
    if (does === 'fail') thing.health = 'broken';
    if (does === 'recover' && this.reach.get(id) === 'reachable') {
      thing.health = 'healthy';
    }
    if (does === 'leave') this.reach.set(id, { awaySince: this.now });
    if (does === 'return') this.reach.set(id, 'reachable');
  }

  /** Refused also where the target is healthy by now and the reason was that it is not. */
  private write({ id, health }: Target, revision: string): void {
    const thing = this.thing(this.real, id);
    const isOutdated = health !== 'healthy' && thing.health === 'healthy';
    if (!this.refused.delete(id) && !isOutdated) {
      if (thing.health === 'healthy') this.takenDown.add(id);
      this.changing.set(id, revision);
      thing.at = { revision };
      thing.health = 'starting';
    }
    this.see(id);
  }

  private see(id: string): void {
    this.seen.set(id, { ...this.thing(this.real, id) });
  }

  private noteRecovery(id: string): void {
    if (this.thing(this.real, id).health !== 'healthy') return;
    this.takenDown.delete(id);
    this.changing.delete(id);
  }

  private thing(where: ReadonlyMap<string, Thing>, id: string): Thing {
    const thing = where.get(id);
    if (thing === undefined) throw new Error(`no target ${id}`);
    return thing;
  }
}
