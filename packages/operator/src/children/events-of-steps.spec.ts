import { deployments, statefulSets, type KubeObject, type Resource } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import type { Outcome, Step, StepResult } from '../engine/step.ts';
import type { ChildOwner } from './ownership/owner.ts';
import { eventsOfSteps, rareEvents, type EventTemplate } from './events-of-steps.ts';

type Kind = 'Deployment' | 'StatefulSet';

const owner: ChildOwner = {
  resource: deployments,
  object: {
    metadata: { name: 'web', namespace: 'ns', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
  },
};
const regarding = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'ns', uid: 'u' };
const kinds: readonly Kind[] = ['Deployment', 'StatefulSet'];
const eventTemplates: readonly EventTemplate[] = [
  {
    verb: 'delete',
    action: 'Delete',
    reason: 'Gone',
    note: (count, kind, at) => `${count} ${kind} of ${at}`,
  },
  {
    verb: 'create',
    action: 'Create',
    reason: 'Made',
    note: (count, kind, at) => `${count} ${kind} of ${at}`,
  },
];

function resourceOf(kind: Kind): Resource<KubeObject> {
  return kind === 'Deployment' ? deployments : statefulSets;
}

function step(verb: 'create' | 'delete', kind: Kind, target?: string): Step {
  const why = { word: verb === 'create' ? 'ChildCreated' : 'ChildDeleted', message: '' } as const;
  const place = target === undefined ? {} : { target };
  const resource = resourceOf(kind);
  return verb === 'create'
    ? { do: 'create', resource, object: { metadata: { name: 'x' } }, managed: 'apply', why, ...place }
    : { do: 'delete', resource, key: { name: 'x' }, uid: '', propagation: 'Background', why, ...place };
}

function outcomeOf(...results: readonly StepResult[]): Outcome {
  return { results } as unknown as Outcome;
}

function done(...steps: readonly Step[]): Outcome {
  return outcomeOf(...steps.map((each) => ({ step: each, did: 'done' }) as const));
}

describe('what was done to children', () => {
  it('is recorded once for each sort and kind, in the order of the eventTemplates and the kinds', () => {
    const outcome = done(
      step('create', 'StatefulSet', 'c'),
      step('create', 'Deployment', 'b'),
      step('create', 'Deployment', 'a'),
      step('delete', 'StatefulSet', 'c'),
    );
    expect(eventsOfSteps(owner, outcome, kinds, resourceOf, eventTemplates)).toEqual([
      { type: 'Normal', regarding, reason: 'Gone', action: 'Delete', note: '1 StatefulSet of c' },
      { type: 'Normal', regarding, reason: 'Made', action: 'Create', note: '2 Deployment of a, b' },
      { type: 'Normal', regarding, reason: 'Made', action: 'Create', note: '1 StatefulSet of c' },
    ]);
  });

  it('leaves out what serves no place, and what was not done', () => {
    const failed = { step: step('create', 'Deployment', 'a'), did: 'skipped', because: 'plan-outdated' };
    const outcome = outcomeOf(failed as StepResult, { step: step('create', 'Deployment'), did: 'done' });
    expect(eventsOfSteps(owner, outcome, kinds, resourceOf, eventTemplates)).toEqual([]);
  });

  it('has a word of its own where it happens seldom', () => {
    const stuck: Step = {
      ...step('delete', 'Deployment', 'a'),
      why: { word: 'PodStuck', message: 'pod a-0 is broken' },
    };
    const outcome = done(step('create', 'Deployment', 'b'), stuck);
    expect(rareEvents(owner, outcome, ['PodStuck'], 'Repair')).toEqual([
      { type: 'Normal', regarding, reason: 'PodStuck', action: 'Repair', note: 'pod a-0 is broken' },
    ]);
  });
});
