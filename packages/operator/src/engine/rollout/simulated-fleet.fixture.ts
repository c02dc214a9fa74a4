import fc from 'fast-check';
import { chooseTargets, type RolloutLimits } from './choose-targets.ts';
import type { OwnWrite } from './rollout-record.ts';
import type { At, Health, Reach, Target } from './target.ts';

/** What happens to a fleet; the target is the number of the event modulo their count. */
export type FleetEvent =
  | { readonly do: 'round' | 'edit' | 'restart' }
  | { readonly do: 'pass'; readonly ms: number }
  | {
      readonly do: 'arrive' | 'lose' | 'see' | 'fail' | 'recover' | 'leave' | 'return';
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
        .tuple(fc.constantFrom('arrive', 'lose', 'see', 'fail', 'recover', 'leave', 'return'), fc.nat(5))
        .map(([does, target]) => ({ do: does, target }) as FleetEvent),
    },
  ),
  { maxLength: 60 },
);

interface Thing {
  at: At;
  health: Health;
}

/** A write on its way; `unless`: refused where the target is healthy by then, because what was seen was not. */
interface Sent {
  readonly revision: string;
  readonly unlessHealthy: boolean;
  fate: OwnWrite['fate'];
  arrives: boolean;
}

/**
 * A fleet as its controller and as nobody sees it: what runs, what the caches show of it, and the writes between the two. Faults
 * come only from events, so that everything that breaks a rule is found with what led to it.
 */
export class SimulatedFleet {
  readonly ids: readonly string[];
  readonly real = new Map<string, Thing>();
  readonly seen = new Map<string, Thing>();
  readonly reach = new Map<string, Reach>();
  readonly sent = new Map<string, Sent>();
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
    else this.restart();
    for (const id of this.ids) this.noteRecovery(id);
  }

  /** One decision, and its writes sent. */
  round(): number {
    const writes = new Map(
      [...this.sent].map(([id, { fate }]): [string, OwnWrite] => [id, { does: 'start', fate }]),
    );
    const targets = this.targets();
    const { byTarget } = chooseTargets({
      targets,
      limits: this.limits,
      now: this.now,
      record: { writes },
    });
    let begun = 0;
    for (const target of targets) {
      const answer = byTarget.get(target.id);
      if (answer?.do !== 'start' && answer?.do !== 'create') continue;
      begun += 1;
      const { id } = target;
      const unlessHealthy = target.health !== 'healthy';
      if (this.sent.has(id)) this.broken.push(`${id} is written twice`);
      this.sent.set(id, { revision: answer.revision, unlessHealthy, fate: 'in-flight', arrives: true });
      if (!unlessHealthy) this.takenDown.add(id);
      this.changing.set(id, answer.revision);
    }
    if (begun > 0) this.check();
    return begun;
  }

  /** Everything that is on its way arrives, is seen and becomes healthy. */
  untilSteady(): void {
    for (const id of this.ids) {
      this.reach.set(id, 'reachable');
      for (const does of ['arrive', 'see', 'recover', 'see'] as const) this.happenTo(id, does);
      this.noteRecovery(id);
    }
  }

  private check(): void {
    const { value } = this.limits.unavailable;
    const counts = (id: string): boolean => !this.isExempt(id);
    const down = [...this.takenDown].filter(counts);
    if (down.length > Number(value)) this.broken.push(`taken down at once: ${down.join(', ')}`);
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

  private happenTo(
    id: string,
    does: 'arrive' | 'lose' | 'see' | 'fail' | 'recover' | 'leave' | 'return',
  ): void {
    const thing = this.thing(this.real, id);
    const sent = this.sent.get(id);
    if (does === 'arrive' && sent !== undefined) this.arrive(id, sent, thing);
    if (does === 'lose' && sent?.fate === 'in-flight') sent.fate = 'in-doubt';
    if (does === 'see') this.see(id);
    if (does === 'fail') thing.health = 'broken';
    if (does === 'recover' && this.reach.get(id) === 'reachable') {
      thing.health = 'healthy';
    }
    if (does === 'leave') this.reach.set(id, { awaySince: this.now });
    if (does === 'return') this.reach.set(id, 'reachable');
  }

  private arrive(id: string, sent: Sent, thing: Thing): void {
    if (!sent.arrives) return;
    sent.arrives = false;
    if (sent.fate === 'in-flight') sent.fate = 'unseen';
    if (sent.unlessHealthy && thing.health === 'healthy') {
      this.changing.delete(id);
      return;
    }
    thing.at = { revision: sent.revision };
    thing.health = 'starting';
  }

  /** What arrives after its read-back would be a write that was given up; none does. */
  private see(id: string): void {
    const sent = this.sent.get(id);
    if (sent?.fate === 'in-flight') return;
    if (sent?.arrives === true) this.giveUp(id);
    this.sent.delete(id);
    this.seen.set(id, { ...this.thing(this.real, id) });
  }

  /** A new process reads everything anew, after its predecessor's writes have arrived or are given up. */
  private restart(): void {
    for (const [id, sent] of this.sent) {
      if (sent.arrives && sent.fate === 'in-doubt') this.giveUp(id);
      else this.arrive(id, sent, this.thing(this.real, id));
    }
    this.sent.clear();
    for (const id of this.ids) this.seen.set(id, { ...this.thing(this.real, id) });
  }

  private giveUp(id: string): void {
    this.changing.delete(id);
    if (this.thing(this.real, id).health === 'healthy') this.takenDown.delete(id);
  }

  private noteRecovery(id: string): void {
    if (this.sent.get(id)?.arrives === true) return;
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
