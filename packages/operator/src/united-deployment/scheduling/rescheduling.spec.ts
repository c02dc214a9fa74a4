import type { Instant } from '@atoll/kube';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { allocate, type SubsetNumbers } from '../allocation/allocate.ts';
import { toTimestamp } from '../../engine/status/conditions.ts';
import type { JudgedPod } from '../../children/pods/pod-facts.ts';
import type { FoundSubsetCondition, SchedulingJudgement } from './judgement.ts';
import { conditionAfterAllocation, judgeReservation } from './judge-reservation.ts';
import { judgeScheduling } from './judge-scheduling.ts';

const windows = { criticalMs: 10_000, unschedulableMs: 10_000 };

interface Member {
  readonly name: string;
  readonly createdAt: Instant;
  readyAt: Instant | undefined;
  label: string | undefined;
}

interface Child {
  replicas: number;
  pods: Member[];
  condition: FoundSubsetCondition | undefined;
}

/**
 * Three subsets a, b and c, of which the first two take at most two; workloads that make and remove pods at once, those
 * that are not ready first; pods that are ready at once where there is room and look for a node for ever where not.
 */
class World {
  total = 0;
  readonly full = new Set<string>();
  private now: Instant = Date.parse('2026-01-01T12:00:00Z');
  private created = 0;
  private readonly mode: 'adaptive' | 'reservation';
  private readonly subsets: readonly SubsetNumbers[] = [
    { name: 'a', maxReplicas: 2 },
    { name: 'b', maxReplicas: 2 },
    { name: 'c' },
  ];
  private readonly children = new Map<string, Child>();
  private requeueAt: Instant | undefined;

  constructor(mode: 'adaptive' | 'reservation') {
    this.mode = mode;
  }

  scaleTo(total: number): string {
    this.total = total;
    return this.untilSteady();
  }

  /** Time passes; the operator reconciles when it asked for that. */
  wait(seconds: number): string {
    const end = this.now + seconds * 1000;
    for (let rounds = 0; this.requeueAt !== undefined && this.requeueAt <= end; rounds += 1) {
      if (rounds > seconds) throw new Error('it is requeued again and again, and time does not pass');
      this.now = Math.max(this.now, this.requeueAt);
      this.untilSteady();
    }
    this.now = end;
    return this.untilSteady();
  }

  /** Passes until one changes nothing. */
  untilSteady(): string {
    for (let reconciles = 0; reconciles < 20; reconciles += 1) if (!this.reconcile()) return this.story();
    throw new Error(`it does not untilSteady: ${this.story()}`);
  }

  condition(name: string): string {
    const { status, reason } = this.children.get(name)?.condition ?? {};
    return `${String(status)} ${String(reason)}`;
  }

  sum(): number {
    return [...this.children.values()].reduce((sum, { replicas }) => sum + replicas, 0);
  }

  private story(): string {
    return this.subsets.map(({ name }) => this.children.get(name)?.replicas ?? 0).join(' ');
  }

  private reconcile(): boolean {
    const before = JSON.stringify([...this.children]);
    const judgements = new Map([...this.children].map(([name, child]) => [name, this.judge(child)]));
    const moments = [...judgements.values()].flatMap(({ requeueAt }) => requeueAt ?? []);
    this.requeueAt = moments.length === 0 ? undefined : Math.min(...moments);
    const current = Object.fromEntries(
      [...judgements].map(([name, { unschedulable, reservedPods, marked }]) => {
        const { replicas = 0, pods = [] } = this.children.get(name) ?? {};
        const readyReplicas = pods.filter(({ readyAt }) => readyAt !== undefined).length;
        const scheduledReplicas = readyReplicas;
        return [name, { replicas, readyReplicas, scheduledReplicas, unschedulable, reservedPods, marked }];
      }),
    );
    const { replicas } = allocate({ total: this.total, subsets: this.subsets, mode: this.mode, current });
    for (const [name, to] of Object.entries(replicas)) {
      const child = this.children.get(name) ?? { replicas: 0, pods: [], condition: undefined };
      const judgement = judgements.get(name);
      for (const { uid, value } of judgement?.labelPods ?? []) {
        const pod = child.pods.find((each) => each.name === uid);
        if (pod !== undefined) pod.label = value;
      }
      if (judgement !== undefined) {
        child.condition =
          this.mode === 'adaptive'
            ? judgement.condition
            : conditionAfterAllocation(judgement, child.condition, { from: child.replicas, to }, this.now);
      }
      child.replicas = to;
      this.children.set(name, child);
    }
    this.runWorkloads();
    return JSON.stringify([...this.children]) !== before;
  }

  private runWorkloads(): void {
    for (const [name, child] of this.children) {
      child.pods.sort((a, b) => Number(b.readyAt !== undefined) - Number(a.readyAt !== undefined));
      child.pods.length = Math.min(child.pods.length, child.replicas);
      while (child.pods.length < child.replicas) {
        this.created += 1;
        child.pods.push({
          name: `${name}-${this.created}`,
          createdAt: this.now,
          readyAt: undefined,
          label: undefined,
        });
      }
      for (const pod of child.pods) if (!this.full.has(name)) pod.readyAt ??= this.now;
    }
  }

  private judge({ pods, condition, replicas }: Child): SchedulingJudgement {
    const judged = pods.map(toPod);
    if (this.mode === 'adaptive') return judgeScheduling({ pods: judged, condition, windows }, this.now);
    const input = { pods: judged, condition, windows, replicas, revision: 'v1', updatingSince: undefined };
    return judgeReservation({ ...input, partition: 0 }, this.now);
  }
}

function toPod({ name, createdAt, readyAt, label }: Member): JudgedPod {
  const times = { creationTimestamp: toTimestamp(createdAt) };
  const reserved = label === undefined ? {} : { 'apps.kruise.io/united-deployment-reserved-pod': label };
  const labels = { 'apps.kruise.io/controller-revision-hash': 'v1', ...reserved };
  const metadata = { name, uid: name, labels, ...times };
  if (readyAt === undefined) {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
    return { metadata, status: { phase: 'Pending', conditions } };
  }
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: toTimestamp(readyAt) }];
  return { metadata, spec: { nodeName: 'n' }, status: { phase: 'Running', conditions } };
}

it('moves away what finds no node, and tries again after the window (3.10)', () => {
  const world = new World('adaptive');
  world.full.add('b');
  expect(world.scaleTo(3)).toBe('2 1 0');
  expect(world.wait(9)).toBe('2 1 0');
  expect(world.wait(1)).toBe('2 0 1');
  expect(world.condition('b')).toBe('False reschedule');
  expect(world.scaleTo(5)).toBe('2 0 3');
  expect(world.scaleTo(4)).toBe('2 0 2');
  expect(world.wait(10)).toBe('2 0 2');
  expect(world.condition('b')).toBe('True recover');
  expect(world.scaleTo(5)).toBe('2 1 2');
  expect(world.scaleTo(4)).toBe('2 0 2');
});

it('leaves pending pods where they are, and changes nothing, where no subset has room', () => {
  const world = new World('adaptive');
  for (const name of ['a', 'b', 'c']) world.full.add(name);
  expect(world.scaleTo(5)).toBe('2 2 1');
  expect(world.wait(60)).toBe('2 2 1');
  expect(world.wait(600)).toBe('2 2 1');
  expect(world.condition('a')).toBe('False reschedule');
});

it('lets others stand in for what finds no node, and takes them back once it is ready (3.11)', () => {
  const world = new World('reservation');
  world.full.add('b');
  expect(world.scaleTo(4)).toBe('2 2 0');
  expect(world.wait(10)).toBe('2 2 2');
  expect(world.condition('b')).toBe('False reschedule');
  expect(world.wait(600)).toBe('2 2 2');
  world.full.delete('b');
  expect(world.untilSteady()).toBe('2 2 2');
  expect(world.wait(9)).toBe('2 2 2');
  expect(world.wait(1)).toBe('2 2 0');
  expect(world.condition('b')).toBe('True reschedule');
});

it('reserves the new pods of a subset that grows while it is not trusted', () => {
  const world = new World('reservation');
  world.full.add('a');
  expect(world.scaleTo(1)).toBe('1 0 0');
  expect(world.wait(10)).toBe('1 1 0');
  expect(world.scaleTo(3)).toBe('1 2 1');
  world.full.delete('a');
  world.untilSteady();
  expect(world.wait(10)).toBe('2 2 0');
  expect(world.condition('a')).toBe('False reschedule');
  expect(world.wait(10)).toBe('2 1 0');
});

const events = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('scale' as const), to: fc.nat(8) }),
    fc.record({ type: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 25 }) }),
    fc.record({ type: fc.constant('room' as const), subset: fc.constantFrom('a', 'b', 'c') }),
  ),
  { maxLength: 12 },
);

it.each(['adaptive', 'reservation'] as const)(
  '%s settles whatever happens, and in the end has what it should',
  (mode) => {
    fc.assert(
      fc.property(events, fc.nat(8), (history, total) => {
        const world = new World(mode);
        for (const event of history) {
          if (event.type === 'scale') world.scaleTo(event.to);
          else if (event.type === 'wait') world.wait(event.seconds);
          else if (!world.full.delete(event.subset)) world.full.add(event.subset);
          // Every reconcile until nothing changes, or it throws.
          world.untilSteady();
          expect(world.sum()).toBeGreaterThanOrEqual(world.total);
          expect(world.sum()).toBeLessThanOrEqual(mode === 'adaptive' ? world.total : 3 * world.total + 8);
        }
        world.full.clear();
        world.scaleTo(total);
        world.wait(100);
        expect(world.sum()).toBe(total);
        expect(world.wait(1000)).toBe(world.untilSteady());
      }),
      { numRuns: 200 },
    );
  },
);
