import { ApiError, pods } from '@atoll/kube';
import type { Pod, Stored } from '@atoll/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusals } from '../../../engine/executor/answers/refusals.ts';
import { emptyMemory, type ExecutionEvent } from '../../../engine/executor/commands.ts';
import { beginExecution, continueExecution, outcomeOf } from '../../../engine/executor/execution.ts';
import type { Facts } from '../../../engine/executor/facts.ts';
import type { Answer } from '../../../engine/executor/requests/request.ts';
import { executionRules } from '../../../engine/executor/rules.ts';
import { isUnexpected, refusedAfter } from '../../../engine/refused-trials.ts';
import type { Step } from '../../../engine/step.ts';
import { decide } from '../../decide.ts';
import { agent, nodesNamed, now, podOn, replicaSet, snapshotOf } from '../../extended-daemon-set.fixture.ts';
import { plan } from '../../plan.ts';
import { report } from '../../report.ts';

const [old, current] = [replicaSet(1), replicaSet(2)];

/** With the name of the pod, as a policy or a quota says it. */
function refusal({ metadata: { name } }: Pod, why: string): ApiError {
  const message = `pods "${name}" is forbidden: ${why}`;
  const status = { message, details: { name } };
  const attempted = `create pods edge/${name}`;
  return new ApiError({ fate: 'refused', code: 403, reason: 'Forbidden', attempted, message, status });
}

interface Sent {
  readonly step: Step;
  readonly at: number;
  readonly refused: boolean;
}

/**
 * Whether a pod is refused on a node in a second, perhaps with why. `used`: how many pods a quota counts, which sees for two seconds more those that were
 * deleted.
 */
type Refuses = (node: string, second: number, used: number) => boolean | string;

/** A fleet that runs agent:1 and is to run agent:2. Pods are Ready at once. */
class Fleet {
  readonly sent: Sent[] = [];
  readonly emptied: string[] = [];
  readonly messages = new Set<string>();
  holds: ReturnType<typeof decide>['holds'] = [];
  mostEmpty = 0;
  readonly #names: readonly string[];
  readonly #maxUnavailable: number | string;
  readonly #isRefused: Refuses;
  readonly #pods: Map<string, Stored<Pod>>;
  readonly #refusals = new Refusals();
  #memory = emptyMemory;
  #second = 0;

  constructor(names: readonly string[], maxUnavailable: number | string, isRefused: Refuses) {
    this.#names = names;
    this.#maxUnavailable = maxUnavailable;
    this.#isRefused = isRefused;
    this.#pods = new Map(names.map((name) => [name, podOn(name, old)]));
  }

  get updated(): readonly string[] {
    return this.#names.filter((name) => this.#pods.get(name)?.metadata.name.startsWith('agent-2') === true);
  }

  get missing(): readonly string[] {
    return this.#names.filter((name) => !this.#pods.has(name));
  }

  /** The seconds of the dry runs that were refused. */
  get refusedAt(): readonly number[] {
    return this.sent.flatMap(({ step, refused, at }) => (step.do === 'try' && refused ? [at] : []));
  }

  get #used(): number {
    const going = this.sent.filter(
      ({ step, at }) => step.do === 'delete' && step.resource === pods && at > this.#second - 2,
    );
    return this.#pods.size + going.length;
  }

  get tries(): number {
    return this.sent.filter(({ step }) => step.do === 'try').length;
  }

  /** Reconciles each second, and again at once as long as the next plan differs. */
  run(seconds: number): this {
    for (const end = this.#second + seconds; this.#second < end; this.#second += 1) {
      let rounds = 0;
      while (this.#reconcile()) {
        rounds += 1;
        if (rounds > 500) throw new Error('it never comes to rest');
      }
    }
    return this;
  }

  #snapshot() {
    const rollingUpdate = {
      maxUnavailable: this.#maxUnavailable,
      slowStartIntervalDuration: '1ms',
      slowStartAdditiveIncrease: 250,
    };
    const object = agent('agent:2', {
      strategy: { reconcileFrequency: '1ms', rollingUpdate },
      status: { activeReplicaSet: 'agent-2' },
    });
    return snapshotOf({
      object,
      replicaSets: [old, current],
      nodes: nodesNamed(...this.#names),
      pods: [...this.#pods.values()],
      refused: this.#memory.refusedTrials,
    });
  }

  /** Their pods are gone. */
  lose(nodes: readonly string[]): this {
    for (const node of nodes) this.#pods.delete(node);
    return this;
  }

  #reconcile(): boolean {
    const at = now + 1_000 * this.#second;
    const snapshot = this.#snapshot();
    const planned = plan(snapshot, decide(snapshot, at), at);
    const live = snapshot.owner?.object;
    const facts: Facts = { leads: true, stopping: false, now: at, cached: () => 'uncached' };
    const heldBack = this.#refusals.heldBack('edge/agent', at);
    let turn = beginExecution(
      { plan: planned, bound: 16, memory: this.#memory, heldBack },
      facts,
      executionRules,
    );
    const events: ExecutionEvent[] = [];
    for (;;) {
      for (const command of turn.commands) {
        if (command.command === 'remember') this.#memory = command.memory;
        if (command.command === 'place') events.push({ event: 'placed', of: command.of });
        if (command.command === 'read') events.push({ event: 'read', of: command.of, read: { live } });
        if (command.command === 'send')
          events.push({ event: 'answered', of: command.of, answer: this.#answer(command.step, at) });
      }
      const event = events.shift();
      if (event === undefined) break;
      turn = continueExecution(turn.state, event, facts, executionRules);
    }
    const outcome = outcomeOf(turn.state) ?? { results: [] };
    const refusedTrials = refusedAfter(this.#memory.refusedTrials, outcome, planned.remembers);
    this.#memory = { ...this.#memory, refusedTrials };
    this.#refusals.ended('edge/agent', outcome.results, at);
    this.mostEmpty = Math.max(this.mostEmpty, this.missing.length);
    const after = this.#snapshot();
    const decision = decide(after, at);
    this.holds = decision.holds;
    const own = report(after, decision, outcome, at).find(
      ({ resource }) => resource.kind === 'ExtendedDaemonSet',
    )?.status as { readonly conditions?: readonly { readonly type: string; readonly message?: string }[] };
    this.messages.add(own.conditions?.find(({ type }) => type === 'Ready')?.message ?? '');
    return outcome.results.some(isUnexpected);
  }

  #answer(step: Step, at: number): Answer {
    const node = step.target ?? '';
    const made = step.do === 'try' || step.do === 'create' ? (step.object as Pod) : undefined;
    const why = made === undefined ? false : this.#isRefused(node, this.#second, this.#used);
    this.sent.push({ step, at: this.#second, refused: why !== false });
    if (made !== undefined && why !== false)
      return { ok: false, error: refusal(made, why === true ? 'a policy denied it' : why) };
    if (step.do === 'create') {
      const created = new Date(at).toISOString().replace('.000Z', 'Z');
      this.#pods.set(node, podOn(node, current, { created, annotations: made?.metadata.annotations ?? {} }));
    }
    if (step.do === 'delete') {
      this.emptied.push(node);
      this.#pods.delete(node);
    }
    return { ok: true, object: undefined };
  }
}

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `n${String(index).padStart(3, '0')}`);
}

describe('a node that alone has its successor refused', () => {
  const [first = '', ...others] = numbered(8);
  const isFirst = (node: string): boolean => node === first;

  it.each([1, 3, '100%'])(
    'keeps its pod and is named, and all others are replaced: maxUnavailable %s',
    (most) => {
      const fleet = new Fleet([first, ...others], most, isFirst).run(60);
      expect(fleet.updated).toEqual(others);
      expect(fleet.emptied).not.toContain(first);
      expect(fleet.holds).toMatchObject([
        {
          reason: 'ChildRefused',
          waitsFor: 'person',
          targets: [first],
          problem: expect.stringContaining('a policy denied it') as string,
        },
      ]);
    },
  );

  it('is tried again with the back-off, and replaced when its pod is taken', () => {
    const fleet = new Fleet([first, ...others], 1, (node, second) => isFirst(node) && second < 100).run(95);
    expect(fleet.refusedAt).toEqual([0, 1, 11, 41, 71]);
    expect(fleet.run(30).updated).toEqual([first, ...others]);
    expect(fleet.holds).toEqual([]);
  });

  it('costs no other node its pod that is refused too', () => {
    const refused = [first, 'n003', 'n004', 'n006'];
    const fleet = new Fleet([first, ...others], 4, (node) => refused.includes(node)).run(90);
    expect(fleet.emptied.filter((node) => refused.includes(node))).toEqual([]);
    expect(fleet.updated).toEqual(['n001', 'n002', 'n005', 'n007']);
    expect(fleet.holds).toMatchObject([{ reason: 'ChildRefused', targets: refused }]);
  });

  it('and was found when its pod was gone lets the pods of all others be tried before', () => {
    const refused = ['n001', 'n003', 'n004', 'n005'];
    const fleet = new Fleet([first, ...others], 2, (node) => refused.includes(node)).run(120);
    // That of the first node was taken, and so was believed of the second.
    expect(fleet.missing).toEqual(['n001']);
    expect(fleet.updated).toEqual(['n000', 'n002', 'n006', 'n007']);
  });
});

describe('the pods of many nodes that have none', () => {
  const names = numbered(100);

  it('are tried again by ten in a turn, while one after the other is refused for the first time', () => {
    const fleet = new Fleet(names, 1, () => true).lose(names).run(90);
    const sent = fleet.sent.filter(({ step }) => step.do === 'create');
    const again = sent.length - new Set(sent.map(({ step }) => step.target)).size;
    // Ten when their turn begins, and again when their retry is due: 20 in 30 s.
    expect(again).toBeLessThanOrEqual(60);
  });

  it('are all there soon after they are taken', () => {
    const fleet = new Fleet(names, 1, (_node, second) => second < 90).lose(names).run(90);
    expect(fleet.updated).toEqual([]);
    expect(fleet.run(60).updated).toEqual(names);
  });
});

describe('a refusal of all nodes', () => {
  it.each([1, 10, '100%'])(
    'costs three dry runs, and a few in each 30 s that follow: maxUnavailable %s',
    (most) => {
      const fleet = new Fleet(numbered(40), most, () => true).run(1);
      expect(fleet.tries).toBe(3);
      fleet.messages.clear();
      fleet.run(299);
      // Three nodes that were not tried yet, and one of the others once or twice.
      const turns = Object.values(Object.groupBy(fleet.refusedAt, (second) => Math.floor(second / 30)));
      expect(turns).toHaveLength(10);
      expect(Math.max(...turns.map((each) => each?.length ?? 0))).toBeLessThanOrEqual(5);
      expect(fleet.emptied).toEqual([]);
      expect(fleet.holds).toMatchObject([{ reason: 'ChildRefused', count: 40 }]);
      // Whose turn it is does not show.
      expect([...fleet.messages].at(-1)).toContain('n000, n001, n002 and 37 more: ');
      expect(fleet.messages.size).toBe(1);
    },
  );

  it('that ends lets all of them be replaced', () => {
    const fleet = new Fleet(numbered(20), 5, (_, second) => second < 70).run(110);
    expect(fleet.updated).toHaveLength(20);
    expect(fleet.mostEmpty).toBeLessThanOrEqual(5);
  });

  it('in mid rollout costs no more', () => {
    const fleet = new Fleet(numbered(60), 1, (node, second) => node === 'n000' || second >= 20).run(20);
    expect(fleet.updated.length).toBeGreaterThan(3);
    expect(fleet.run(10).refusedAt.filter((second) => second >= 20).length).toBeLessThanOrEqual(5);
    expect(fleet.missing.length).toBeLessThanOrEqual(1);
  });
});

it('whichever nodes are refused, all others are replaced in time, and the budget is kept', () => {
  const fleets = fc.record({
    refused: fc.array(fc.boolean(), { minLength: 1, maxLength: 14 }),
    most: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(fleets, ({ refused, most }) => {
      const names = numbered(refused.length);
      const isRefused = (node: string): boolean => refused[names.indexOf(node)] === true;
      const fleet = new Fleet(names, most, isRefused).run(200);
      expect(fleet.mostEmpty).toBeLessThanOrEqual(most);
      const held = fleet.holds.flatMap(({ targets }) => targets);
      const isComplete =
        fleet.updated.join() === names.filter((node) => !isRefused(node)).join() &&
        held.join() === names.filter(isRefused).join();
      // Those that were emptied before anything was refused spend the budget.
      expect(isComplete || fleet.missing.length > 0).toBe(true);
      expect(fleet.missing.filter((node) => !isRefused(node))).toEqual([]);
      expect(fleet.emptied.filter(isRefused).length).toBeLessThanOrEqual(most);
    }),
    { numRuns: 15 },
  );
});

describe('a quota that is lowered below its use', () => {
  /** From a second on so many pods are allowed. */
  const lowered =
    (at: number, limit: number, before = Infinity): Refuses =>
    (_node, second, used) => {
      const hard = second < at ? before : limit;
      const words = `exceeded quota: small, requested: pods=1, used: pods=${used}, limited: pods=${hard}`;
      return used + 1 > hard ? words : false;
    };

  it.each([1, 5, '100%'])('costs no pod before a rollout begins: maxUnavailable %s', (most) => {
    const fleet = new Fleet(numbered(20), most, lowered(0, 10)).run(90);
    expect(fleet.emptied).toEqual([]);
    expect(fleet.holds).toMatchObject([
      {
        reason: 'ChildRefused',
        count: 20,
        problem: expect.stringContaining('exceeded quota: small') as string,
      },
    ]);
  });

  it.each([1, 3])('in mid rollout costs the pods of one batch, and names it: maxUnavailable %s', (most) => {
    const fleet = new Fleet(numbered(60), most, lowered(20, 30, 60)).run(20);
    const updated = fleet.updated.length;
    expect(updated).toBeGreaterThan(3);
    fleet.run(300);
    expect(fleet.missing.length).toBeLessThanOrEqual(most);
    expect(fleet.updated.length - updated).toBeLessThanOrEqual(most);
    expect(fleet.holds[0]).toMatchObject({
      reason: 'ChildRefused',
      problem: expect.stringContaining('exceeded quota: small') as string,
    });
  });

  it('and is raised again lets the rollout go on', () => {
    const raised: Refuses = (node, second, used) =>
      second < 60 ? lowered(20, 10, 20)(node, second, used) : lowered(60, 20)(node, second, used);
    const fleet = new Fleet(numbered(20), 2, raised).run(300);
    expect(fleet.updated).toHaveLength(20);
  });

  it('is another thing than one that the pods use up, where each makes room for the next', () => {
    const fleet = new Fleet(numbered(20), 2, lowered(0, 20)).run(300);
    expect(fleet.updated).toHaveLength(20);
  });
});
