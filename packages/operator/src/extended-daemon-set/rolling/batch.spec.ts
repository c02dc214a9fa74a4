import { nodeResourcesAnnotation, type ExtendedDaemonSetStatus } from '@atoll/api';
import { ApiError } from '@atoll/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBlockedByFailure } from '../../engine/executor/depends-on.ts';
import { nothingRefused, refusedAfter } from '../../engine/refused-trials.ts';
import type { Step, StepResult } from '../../engine/step.ts';
import { deletionName } from '../../engine/steps/deletion.ts';
import { decide } from '../decide.ts';
import {
  agent,
  ago,
  node,
  nodesNamed,
  now,
  podOn,
  replicaSet,
  snapshotOf,
} from '../extended-daemon-set.fixture.ts';
import type { ExtendedDaemonSetSnapshot } from '../observe.ts';
import { plan } from '../plan.ts';
import { report } from '../report.ts';

const [old, current] = [replicaSet(1), replicaSet(2)];
const refusal = { fate: 'refused', code: 403, reason: 'Forbidden', attempted: 'create pods' } as const;
const invalid = { code: 422, reason: 'Invalid' } as const;
const denied = new ApiError({ ...refusal, message: 'too many processors' });

function stepsOf(change: Partial<ExtendedDaemonSetSnapshot> & Parameters<typeof snapshotOf>[0]) {
  const snapshot = snapshotOf({
    object: agent('agent:2', { status: { activeReplicaSet: 'agent-2' } }),
    replicaSets: [old, current],
    ...change,
  });
  return plan(snapshot, decide(snapshot, now), now).stages.flatMap(({ steps }) => steps);
}

const wordsOf = (change: Parameters<typeof stepsOf>[0]) => stepsOf(change).map(({ why }) => why.word);

describe('before pods are deleted', () => {
  const nodes = nodesNamed('a', 'b');

  it('the first that replaces one is tried, and the batch and its deletions depend on that', () => {
    const steps = stepsOf({ nodes, pods: [podOn('a', old), podOn('b', old)] });
    const [tried, recorded, deleted] = steps;
    expect(steps.map(({ why }) => why.word)).toEqual(['PodTried', 'BatchRecorded', 'PodOutdated']);
    if (tried?.do !== 'try') throw new Error('nothing is tried');
    expect(tried).toMatchObject({ target: 'a', object: { spec: { containers: [{ image: 'agent:2' }] } } });
    const { name } = tried.object.metadata;
    expect([recorded?.dependsOn, deleted?.dependsOn]).toEqual([[name], [name, current.metadata.uid]]);
  });

  it('none is tried while one of the replica set was made within the last minute', () => {
    const made = (seconds: number) =>
      wordsOf({ nodes, pods: [podOn('a', current, { created: ago(seconds) }), podOn('b', old)] });
    expect(made(59)).toEqual(['BatchRecorded', 'PodOutdated']);
    expect(made(61)).toEqual(['PodTried', 'BatchRecorded', 'PodOutdated']);
    // A clock that was set back by a day says nothing of the last minute.
    expect(made(-86_400)[0]).toBe('PodTried');
  });

  it('a pod that another replica set of the template made says nothing', () => {
    const duplicate = replicaSet(2, { name: 'agent-2-b' });
    const pods = [podOn('a', duplicate, { created: ago(1) }), podOn('b', old)];
    expect(wordsOf({ nodes, replicaSets: [old, current, duplicate], pods })[0]).toBe('PodTried');
  });

  it('nothing is tried where nothing is deleted, as on empty nodes', () => {
    expect(wordsOf({ nodes, replicaSets: [current], pods: [podOn('a', current)] })).toEqual(['PodCreated']);
  });

  it('a canary tries its own', () => {
    const object = agent('agent:2', {
      strategy: { canary: {} },
      status: { activeReplicaSet: 'agent-1', canary: { replicaSet: 'agent-2', nodes: ['a'] } },
    });
    const steps = stepsOf({ object, nodes, pods: [podOn('a', old), podOn('b', old)] });
    expect(steps.map(({ why, target }) => [why.word, target])).toEqual([
      ['PodTried', 'a'],
      ['PodOutdated', 'a'],
    ]);
    const [tried, deleted] = steps;
    if (tried?.do !== 'try') throw new Error('nothing is tried');
    expect(deleted?.dependsOn).toEqual([tried.object.metadata.name]);
  });
});

const noSlowStart = { slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250 } as const;
const cpuAnnotation = nodeResourcesAnnotation('edge', 'agent', 'agent');

/** A node whose annotation asks for so many processors; without one: no overrides. */
function asking(name: string, cpu?: string) {
  const annotations = cpu === undefined ? {} : { [cpuAnnotation]: JSON.stringify({ requests: { cpu } }) };
  return node(name, { annotations });
}

/** By the name of the node, what each deletion depends on. */
function dependencies(steps: readonly Step[]): Readonly<Record<string, readonly string[]>> {
  const deletions = steps.filter((step) => step.do === 'delete');
  return Object.fromEntries(deletions.map(({ target = '', dependsOn = [] }) => [target, dependsOn]));
}

function triesOf(steps: readonly Step[]) {
  return steps.flatMap((step) => (step.do === 'try' ? [step] : []));
}

describe('where the deletion of a pod was refused before', () => {
  const [onA, onB] = [podOn('a', old), podOn('b', old)];
  const refusedOn = (pod: typeof onA) => new Map([[deletionName(pod), { answer: denied }]]);
  const record = current.metadata.uid;
  const shown = (steps: readonly Step[]) => steps.map(({ why, dependsOn }) => [why.word, dependsOn ?? []]);

  it('the batch is recorded after it and only if it is deleted, where no other pod goes', () => {
    const steps = stepsOf({ nodes: nodesNamed('a'), pods: [onA], refused: refusedOn(onA) });
    const [first] = triesOf(steps);
    const tried = first?.object.metadata.name;
    expect(shown(steps)).toEqual([
      ['PodTried', []],
      ['PodOutdated', [tried]],
      ['BatchRecorded', [onA.metadata.uid]],
    ]);
  });

  it('the batch is recorded before, where another pod goes too', () => {
    const object = agent('agent:2', {
      strategy: { rollingUpdate: { ...noSlowStart, maxUnavailable: '100%' } },
      status: { activeReplicaSet: 'agent-2' },
    });
    const steps = stepsOf({ object, nodes: nodesNamed('a', 'b'), pods: [onA, onB], refused: refusedOn(onA) });
    const tried = triesOf(steps).map((step) => step.object.metadata.name);
    expect(shown(steps)).toEqual([
      ['PodTried', []],
      ['BatchRecorded', tried],
      ['PodOutdated', [...tried, record]],
      ['PodOutdated', [...tried, record]],
    ]);
  });
});

describe('where nodes make pods different', () => {
  const nodes = [asking('a'), asking('b', '2'), asking('c'), asking('d', '2'), asking('e', '3')];
  const pods = nodes.map(({ metadata: { name } }) => podOn(name, old));
  const object = agent('agent:2', {
    strategy: { rollingUpdate: { ...noSlowStart, maxUnavailable: '100%' } },
    status: { activeReplicaSet: 'agent-2' },
  });

  it('one pod of each variant is tried, and a deletion depends on that of its own', () => {
    const steps = stepsOf({ object, nodes, pods });
    const tries = triesOf(steps);
    expect(tries.map(({ target }) => target)).toEqual(['a', 'b', 'e']);
    const [none, two, three] = tries.map((step) => step.object.metadata.name);
    const record = current.metadata.uid;
    expect(dependencies(steps)).toEqual({
      a: [none, record],
      b: [two, record],
      c: [none, record],
      d: [two, record],
      e: [three, record],
    });
    expect(steps.find(({ why }) => why.word === 'BatchRecorded')?.dependsOn).toEqual([none, two, three]);
  });

  it('a pod that was just made proves nothing of those with other overrides', () => {
    const made = podOn('a', current, { created: ago(5) });
    const steps = stepsOf({ object, nodes, pods: [made, ...pods.slice(1)] });
    expect(triesOf(steps).map(({ target }) => target)).toEqual(['b', 'e']);
    expect(dependencies(steps)['c']).toEqual([current.metadata.uid]);
    // The pod of c goes in any case, so the batch is recorded in any case.
    expect(steps.find(({ why }) => why.word === 'BatchRecorded')?.dependsOn).toBeUndefined();
  });

  it('nodes whose variant was refused on them stay, are named and tried again, and the budget is spent on others', () => {
    const one = agent('agent:2', { status: { activeReplicaSet: 'agent-2' } });
    const [a, b, c, d] = [asking('a', '2'), asking('b', '2'), asking('c'), asking('d')];
    const fleet = {
      object: one,
      replicaSets: [old, current],
      nodes: [a, b, c, d],
      pods: ['a', 'b', 'c', 'd'].map((name) => podOn(name, old)),
    };
    const [first] = triesOf(stepsOf(fleet));
    const knownFirst = new Map([[first?.trial ?? '', { answer: denied }]]);
    const second = triesOf(stepsOf({ ...fleet, refused: knownFirst })).find(({ target }) => target === 'b');
    const snapshot = snapshotOf({
      ...fleet,
      refused: new Map([...knownFirst, [second?.trial ?? '', { answer: denied }]]),
    });
    const decision = decide(snapshot, now);
    const steps = plan(snapshot, decision, now).stages.flatMap((stage) => stage.steps);
    expect(triesOf(steps).map(({ target, isRetry }) => [target, isRetry])).toEqual([
      ['c', undefined],
      ['a', true],
      ['b', true],
    ]);
    expect(Object.keys(dependencies(steps))).toEqual(['c']);
    expect(decision.holds[0]).toMatchObject({
      reason: 'ChildRefused',
      targets: ['a', 'b'],
      problem: 'create pods: too many processors',
    });
  });

  it('of those that were refused no more than 20 are tried again', () => {
    const many = Array.from({ length: 30 }, (_, index) => asking(`n${10 + index}`, String(1 + index)));
    const fleet = { object, nodes: many, pods: many.map(({ metadata: { name } }) => podOn(name, old)) };
    const refused = new Map(triesOf(stepsOf(fleet)).map(({ trial }) => [trial, { answer: denied }]));
    expect(refused.size).toBe(30);
    const again = stepsOf({ ...fleet, refused });
    expect(again.map((step) => step.do)).toEqual(Array<string>(20).fill('try'));
  });

  it('all that were refused are tried again in turn, and what is reported stays the same meanwhile', () => {
    const many = Array.from({ length: 50 }, (_, index) => asking(`n${10 + index}`, String(1 + index)));
    const fleet = { object, nodes: many, pods: many.map(({ metadata: { name } }) => podOn(name, old)) };
    // Of one the pod itself is wrong, which no time mends.
    const answerTo = ({ target }: Step): ApiError =>
      target === 'n40' ? new ApiError({ ...refusal, ...invalid, message: 'too many processors' }) : denied;
    const refused = new Map(triesOf(stepsOf(fleet)).map((step) => [step.trial, { answer: answerTo(step) }]));
    const snapshot = snapshotOf({ replicaSets: [old, current], ...fleet, refused });
    const at = (seconds: number) => {
      const then = now + 1_000 * seconds;
      const decision = decide(snapshot, then);
      const tries = triesOf(plan(snapshot, decision, then).stages.flatMap(({ steps }) => steps));
      const results = tries.map((step): StepResult => ({ step, did: 'failed', error: answerTo(step) }));
      const written = report(snapshot, decision, { results }, then);
      const own = written.find(({ resource }) => resource.kind === 'ExtendedDaemonSet')?.status;
      const { conditions = [] } = own as ExtendedDaemonSetStatus;
      const shown = conditions.map(({ type, status, reason, message }) => ({
        type,
        status,
        reason,
        message,
      }));
      return { nodes: tries.map(({ target = '' }) => target), shown };
    };
    const [first, soon, ...later] = [0, 29, 30, 60].map(at);
    expect(first?.nodes).toHaveLength(20);
    expect(soon?.nodes).toEqual(first?.nodes);
    const all = new Set([first, ...later].flatMap((each) => each?.nodes ?? []));
    expect(all.size).toBe(50);
    const ofType = (type: string) => first?.shown.find((each) => each.type === type);
    expect(ofType('Ready')?.message).toContain('n10, n11, n12 and 47 more');
    expect(ofType('Stalled')?.status).toBe('True');
    for (const each of later) expect(each?.shown).toEqual(first?.shown);
  });

  it('no more than 100 variants are tried for a batch, and pods of others wait', () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      asking(`n${100 + index}`, String(1 + (index % 150))),
    );
    const steps = stepsOf({
      object,
      nodes: many,
      pods: many.map(({ metadata: { name } }) => podOn(name, old)),
    });
    expect(triesOf(steps)).toHaveLength(100);
    // Of the 250 of a batch two have each variant that is tried.
    expect(Object.keys(dependencies(steps))).toHaveLength(200);
  });
});

describe('whatever nodes ask for, and whatever is refused', () => {
  const cpus = fc.constantFrom(undefined, '1', '2', '3', '4');
  const fleets = fc.record({
    asked: fc.array(cpus, { minLength: 1, maxLength: 12 }),
    refused: fc.subarray(['none', '1', '2', '3', '4']),
    maxUnavailable: fc.integer({ min: 1, max: 4 }),
    healthy: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  });

  it('no pod goes whose own is not taken, and all others are replaced', () => {
    fc.assert(
      fc.property(fleets, ({ asked, refused, maxUnavailable, healthy }) => {
        const object = agent('agent:2', {
          strategy: { reconcileFrequency: '1ms', rollingUpdate: { ...noSlowStart, maxUnavailable } },
          status: { activeReplicaSet: 'agent-2' },
        });
        const nodes = asked.map((cpu, index) => asking(`n${10 + index}`, cpu));
        const isRefused = (name: string): boolean =>
          refused.includes(asked[nodes.findIndex(({ metadata }) => metadata.name === name)] ?? 'none');
        const running = new Map(
          nodes.map(({ metadata: { name } }, index) => [
            name,
            // One that is refused and not available spends the budget like every other that is not available.
            podOn(name, old, { ready: healthy[index] === true || isRefused(name) }),
          ]),
        );
        let known = nothingRefused;
        for (let round = 0; round < 30; round += 1) {
          const snapshot = snapshotOf({
            object,
            replicaSets: [old, current],
            nodes,
            pods: [...running.values()],
            refused: known,
          });
          const results: StepResult[] = [];
          for (const step of plan(snapshot, decide(snapshot, now), now).stages.flatMap(
            ({ steps }) => steps,
          )) {
            const { target = '' } = step;
            if (isBlockedByFailure(step, results))
              results.push({ step, did: 'skipped', because: 'earlier-stage-failed' });
            else if (step.do === 'try' && isRefused(target))
              results.push({ step, did: 'failed', error: denied });
            else {
              const isDeletion = step.do === 'delete' && step.why.word === 'PodOutdated';
              if (isDeletion && isRefused(target)) throw new Error(`${target} is left empty`);
              if (isDeletion) running.delete(target);
              // Longer ago than a minute, so that each batch is tried.
              const shape = {
                created: ago(100),
                annotations: 'object' in step ? (step.object.metadata.annotations ?? {}) : {},
              };
              if (step.do === 'create') running.set(target, podOn(target, current, shape));
              results.push({ step, did: 'done' });
            }
          }
          known = refusedAfter(known, { results });
        }
        const outdated = [...running].filter(([, { metadata }]) => metadata.name.startsWith('agent-1-'));
        expect(running.size).toBe(nodes.length);
        expect(outdated.map(([name]) => name).filter((name) => !isRefused(name))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});
