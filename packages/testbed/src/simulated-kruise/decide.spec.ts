import { describe, expect, it } from 'vitest';
import { decideSimulated, type SimulatedPod } from './decide.ts';
import type { SimulatedWorkload } from './workload.ts';

function workload(fields: Partial<SimulatedWorkload>): SimulatedWorkload {
  return {
    name: 'web',
    replicas: 3,
    template: {},
    identity: 'random',
    partition: 0,
    maxUnavailable: 1,
    update: 'recreate',
    ordered: false,
    currentRevision: 'old',
    updateRevision: 'new',
    ...fields,
  };
}

/** Pods by their marks: `o`, `n` of the old and the new revision; capitals are ready. */
function podsOf(marks: string): readonly SimulatedPod[] {
  return marks.split('').map((mark, index) => ({
    name: `web-${index}`,
    revision: mark.toLowerCase() === 'o' ? 'old' : 'new',
    ready: mark !== mark.toLowerCase(),
    createdAt: index,
  }));
}

const clone = (fields: Partial<SimulatedWorkload> = {}): SimulatedWorkload => workload(fields);
const ordinal = (fields: Partial<SimulatedWorkload> = {}): SimulatedWorkload =>
  workload({ identity: 'ordinal', ordered: true, ...fields });

describe('a simulated CloneSet', () => {
  it.each<[string, Partial<SimulatedWorkload>, string, readonly string[]]>([
    ['all at once', {}, '', ['new', 'new', 'new']],
    ['only what is missing', {}, 'NN', ['new']],
    ['as many old ones as the partition keeps', { partition: 2 }, '', ['new', 'old', 'old']],
    ['old ones only, where enough are new', { partition: 2 }, 'NO', ['old']],
    ['nothing where all are there', {}, 'NNN', []],
  ])('creates %s', (_what, fields, marks, expected) => {
    const { create } = decideSimulated(clone(fields), podsOf(marks));
    expect(create.map(({ revision }) => revision)).toEqual(expected);
  });

  it.each<[string, Partial<SimulatedWorkload>, string, readonly string[]]>([
    ['who is not ready', { replicas: 2 }, 'NnN', ['web-1']],
    ['who is old before who is new', { replicas: 2 }, 'NON', ['web-1']],
    ['who is new, where the partition keeps the old', { replicas: 2, partition: 2 }, 'OON', ['web-2']],
    ['the youngest among equals', { replicas: 1 }, 'NNN', ['web-2', 'web-1']],
  ])('scales in by %s', (_what, fields, marks, expected) => {
    expect(decideSimulated(clone(fields), podsOf(marks)).remove).toEqual(expected);
  });

  it.each<[string, Partial<SimulatedWorkload>, string, readonly string[]]>([
    ['as many as may be unavailable', { maxUnavailable: 2 }, 'OOO', ['web-0', 'web-1']],
    ['none while one is unavailable already', {}, 'OOn', []],
    ['broken old ones at any time', {}, 'OoO', ['web-1']],
    ['none below the partition', { partition: 2, maxUnavailable: 3 }, 'OON', []],
    ['none where pods are deleted by hand', { update: 'on-delete' }, 'OOO', []],
  ])('updates %s', (_what, fields, marks, expected) => {
    expect(decideSimulated(clone(fields), podsOf(marks)).update).toEqual(expected);
  });
});

describe('a simulated Advanced StatefulSet', () => {
  it('creates one after the other, each once its predecessor is ready', () => {
    expect(decideSimulated(ordinal(), []).create).toEqual([{ name: 'web-0', revision: 'new' }]);
    expect(decideSimulated(ordinal(), podsOf('n')).create).toEqual([]);
    expect(decideSimulated(ordinal(), podsOf('N')).create).toEqual([{ name: 'web-1', revision: 'new' }]);
  });

  it('creates all at once where pods are managed in parallel, the old revision below the partition', () => {
    expect(decideSimulated(ordinal({ ordered: false, partition: 1 }), []).create).toEqual([
      { name: 'web-0', revision: 'old' },
      { name: 'web-1', revision: 'new' },
      { name: 'web-2', revision: 'new' },
    ]);
  });

  it('removes the highest ordinals, and updates from them down to the partition', () => {
    expect(decideSimulated(ordinal({ replicas: 1 }), podsOf('NNN')).remove).toEqual(['web-2']);
    expect(decideSimulated(ordinal(), podsOf('OOO')).update).toEqual(['web-2']);
    expect(decideSimulated(ordinal({ partition: 2 }), podsOf('OON')).update).toEqual([]);
  });

  it('does not use the name of a pod that is still going', () => {
    expect(decideSimulated(ordinal(), podsOf('NN'), ['web-2']).create).toEqual([]);
  });
});
