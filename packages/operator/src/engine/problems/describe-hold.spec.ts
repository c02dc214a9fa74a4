import { describe, expect, it } from 'vitest';
import { describeCause, describeHold } from './describe-hold.ts';
import { hold, joinHolds } from '../hold.ts';

describe('a hold, for people', () => {
  it('writes "waiting until" before what is awaited, so that nobody reads it as true already', () => {
    const waiting = hold(
      'WaitingForReady',
      'health',
      ['bj'],
      { waitingUntil: 'the pods are available' },
      false,
    );
    expect(describeHold(waiting)).toBe('bj: waiting until the pods are available');
  });

  it('names what is wrong before what is awaited', () => {
    const cause = { problem: 'the pool has no nodes', waitingUntil: 'a node joins it' };
    expect(describeHold(hold('WaitingForNodes', 'nodes', ['sh'], cause, false))).toBe(
      'sh: the pool has no nodes; waiting until a node joins it',
    );
    expect(describeCause({ problem: 'No room.', waitingUntil: 'there is' })).toBe(
      'No room; waiting until there is',
    );
  });

  it('names a few targets and counts all of them, also those that a hold does not list', () => {
    const targets = Array.from({ length: 80 }, (_, i) => `p${String(i).padStart(2, '0')}`);
    const held = hold('Paused', 'person', targets, { problem: 'the rollout is paused' }, false);
    expect(describeHold(held)).toBe('p00, p01, p02 and 77 more: the rollout is paused');
    expect(describeHold(held, 1)).toBe('p00 and 79 more: the rollout is paused');
  });

  it('names the target that its cause is of first, where those of the others read differently', () => {
    const taken = (place: string) =>
      hold('NameTaken', 'person', [place], { problem: `${place} exists` }, true);
    const holds = joinHolds(['sh', 'bj', 'hz', 'gz'].map(taken));
    expect(holds.map((held) => describeHold(held))).toEqual(['bj (also gz, hz and 1 more): bj exists']);
    expect(holds.map((held) => describeHold(held, 1))).toEqual(['bj (also gz and 2 more): bj exists']);
    const [alone] = joinHolds([taken('bj')]);
    expect(alone).toEqual(taken('bj'));
  });

  it('names all targets alike where their causes read the same', () => {
    const empty = (place: string) =>
      hold('WaitingForNodes', 'nodes', [place], { problem: 'no nodes' }, false);
    expect(joinHolds([empty('hz'), empty('bj')]).map((held) => describeHold(held))).toEqual([
      'bj, hz: no nodes',
    ]);
  });

  it('of an object itself names no target', () => {
    expect(describeHold(hold('NoSubsets', 'person', [], { problem: 'spec is empty' }, true))).toBe(
      'spec is empty',
    );
  });
});
