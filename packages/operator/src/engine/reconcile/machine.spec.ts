import { ApiError } from '@atoll/kube';
import type { KubeObject, Resource, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { spreads } from '../../../simulation/examples/one-child-per-pool.ts';
import { planOf, stored } from '../engine.fixture.ts';
import { emptyMemory, type InDoubt } from '../executor/commands.ts';
import type { Facts } from '../executor/facts.ts';
import { nothingToDo, type Plan } from '../plan.ts';
import type { PlannedEvent } from '../step.ts';
import { beginReconcile, nextOf } from './machine.ts';
import type { Reconcile, ReconcileCommand, ReconcileEvent } from './machine.ts';
import { shippedRules } from './rules.ts';
import { statusPlan } from './status-plan.ts';

const resource = spreads as Resource<KubeObject>;
const key = { namespace: 'edge', name: 'web' };
const web = stored(resource, 'web', '1', { generation: 1 });
const unanswered = new ApiError({
  fate: 'in-doubt',
  code: 0,
  reason: 'Timeout',
  attempted: 'delete spread',
  message: 'no answer',
});

/** What a reconcile came to by these events, and the last commands. `inDoubt`: what it begins with. */
function after(
  events: readonly ReconcileEvent[],
  inDoubt: readonly InDoubt[] = [],
  cached: Stored<KubeObject> | undefined = web,
): { readonly state: Reconcile; readonly commands: readonly ReconcileCommand[] } {
  const facts: Facts = { leads: true, stopping: false, now: 0, cached: () => cached };
  const memory = { ...emptyMemory, inDoubt };
  return events.reduce(
    ({ state }, event) => nextOf(state, event, facts, shippedRules),
    beginReconcile({ resource, key, bound: 4, memory }, shippedRules),
  );
}

const regarding = { apiVersion: 'example.test/v1', kind: 'Spread', namespace: 'edge', name: 'web', uid: 'u' };
const event: PlannedEvent = { type: 'Normal', regarding, reason: 'Seen', action: 'Look', note: 'seen' };
/** A plan that is carried out without a request. */
const ofAnEvent = planOf({ do: 'event', event, why: { word: 'StatusOutdated', message: 'seen' } });
const there = { event: 'observed', there: true } as const;
const gone = { event: 'observed', there: false } as const;

function planned(plan: Plan, othersWait = false): ReconcileEvent {
  return { event: 'planned', plan, heldBack: undefined, othersWait };
}

describe('what is remembered of an object', () => {
  it('is forgotten where it is not there', () => {
    expect(after([gone]).state).toMatchObject({ phase: 'ended', gone: true, result: { end: 'done' } });
  });

  it('is forgotten where it goes while its plan is carried out', () => {
    const { state } = after([there, planned(ofAnEvent), gone]);
    expect(state).toMatchObject({ phase: 'ended', gone: true, result: { end: 'done' } });
  });

  it('stays where it is there', () => {
    const writes = statusPlan([]);
    const { state } = after([there, planned(nothingToDo), { event: 'reported', writes, nextAt: undefined }]);
    expect(state).toMatchObject({ phase: 'ended', gone: false });
  });
});

it('what is refused when it is tried is remembered, and the world is looked at with it', () => {
  const object = { metadata: { namespace: 'edge', name: 'web-a' } };
  const why = { word: 'ChildCreated', message: 'it is tried' } as const;
  const trying = planOf({ do: 'try', resource, object, trial: 'web-a', why });
  const attempted = 'create spread';
  const about = { fate: 'refused', code: 403, reason: 'Forbidden', attempted, message: 'no' } as const;
  const answer = new ApiError(about);
  const { state, commands } = after([
    there,
    planned(trying),
    { event: 'placed', of: 0 },
    { event: 'answered', of: 0, answer: { ok: false, error: answer } },
  ]);
  const names = (refused: ReadonlyMap<string, unknown>): readonly string[] => [...refused.keys()];
  expect(state.phase).toBe('observing-again');
  expect(names(state.memory.refusedTrials)).toEqual(['web-a']);
  const found = commands.flatMap((each) => {
    if (each.command === 'remember') return [names(each.memory.refusedTrials)];
    return each.command === 'observe' ? [names(each.refused)] : [];
  });
  expect(found).toEqual([['web-a'], ['web-a']]);
});

describe('a report', () => {
  it('is made of what is there after the plan was carried out', () => {
    const { commands } = after([there, planned(ofAnEvent)]);
    expect(commands.at(-1)).toMatchObject({ command: 'observe' });
    expect(after([there, planned(ofAnEvent), there]).commands).toMatchObject([{ command: 'report' }]);
  });

  it('is made of what was observed where nothing was to be done', () => {
    expect(after([there, planned(nothingToDo)]).commands.at(-1)).toMatchObject({ command: 'report' });
  });

  it('is never made of two objects of one name', () => {
    const again = stored(resource, 'web', '2', { generation: 1, uid: 'another' });
    const { state } = after([there, planned(ofAnEvent)]);
    const facts: Facts = { leads: true, stopping: false, now: 0, cached: () => again };
    expect(nextOf(state, there, facts, shippedRules).state).toMatchObject({
      phase: 'ended',
      result: { end: 'retry', because: 'the spec changed while the plan was executed' },
    });
  });
});

describe('a status that goes before the plan', () => {
  const acknowledgedBy = (status: object) => {
    const writes = statusPlan([{ resource, object: web, status }]);
    return after([there, planned(ofAnEvent, true), { event: 'reported', writes, nextAt: undefined }]);
  };

  it('is not written where it cannot show the generation', () => {
    const { state, commands } = acknowledgedBy({ ready: 1 });
    expect(state).toMatchObject({ phase: 'planning', acknowledged: true });
    expect(commands).toEqual([{ command: 'plan' }]);
  });

  it('is written where it shows the generation', () => {
    const { state, commands } = acknowledgedBy({ observedGeneration: 1 });
    expect(state.phase).toBe('writing-acknowledgement');
    expect(commands).toMatchObject([{ command: 'place' }]);
  });
});

describe('writes in doubt', () => {
  const doubt = (name: string): InDoubt => ({
    error: unanswered,
    step: {
      do: 'delete',
      why: { word: 'ChildDeleted', message: 'it left' },
      resource,
      key: { namespace: 'edge', name },
      uid: `uid-${name}`,
      propagation: 'Background',
    },
  });
  const [a, b] = [doubt('a'), doubt('b')];
  const unread = { event: 'read', of: 'doubt', read: { error: unanswered } } as const;
  const absent = { event: 'read', of: 'doubt', read: { live: undefined } } as const;

  it('are each read back once, and nothing is observed while one cannot be', () => {
    expect(after([], [a, b]).commands).toMatchObject([{ command: 'read', key: { name: 'a' } }]);
    expect(after([unread], [a, b]).commands).toMatchObject([{ command: 'read', key: { name: 'b' } }]);
    expect(after([unread, unread], [a, b]).state).toMatchObject({
      phase: 'ended',
      result: { end: 'retry', because: 'a write is in doubt and its object cannot be read' },
      memory: { inDoubt: [a, b] },
    });
  });

  it('are in doubt no more when they were read back', () => {
    expect(after([unread, absent], [a, b]).state).toMatchObject({ phase: 'ended', memory: { inDoubt: [a] } });
    expect(after([absent, absent], [a, b]).state).toMatchObject({
      phase: 'observing',
      memory: { inDoubt: [] },
    });
  });
});
