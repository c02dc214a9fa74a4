import { deployments } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { describe, expect, it } from 'vitest';
import type { Step } from '../step.ts';
import { emptyMemory } from './commands.ts';
import { inOrder } from './in-order.ts';
import { stepId } from './step-id.ts';

const steps = ['a', 'b', 'c', 'd'].map((name): Step => {
  const metadata = { namespace: 'edge', name };
  const why = { word: 'ChildCreated', message: 'there is none' } as const;
  return { do: 'create', why, resource: deployments, object: { metadata }, managed: 'apply' };
});
const [a = '', b = '', c = ''] = steps.map(stepId);
const refused = refusalOf(403, '', '');
const queue = [0, 1, 2, 3];

describe('the steps of a stage that starts slowly', () => {
  it('go in the order of the plan where none was refused', () => {
    expect(inOrder(queue, { steps, memory: emptyMemory, heldBack: undefined })).toBe(queue);
  });

  it('go last where they failed the last time', () => {
    const memory = { ...emptyMemory, failedLast: new Set([a, c]) };
    expect(inOrder(queue, { steps, memory, heldBack: undefined })).toEqual([1, 3, 0, 2]);
  });

  it('go before those where they were not sent because of them', () => {
    const memory = { ...emptyMemory, failedLast: new Set([a]), skippedLast: new Set([b]) };
    expect(inOrder(queue, { steps, memory, heldBack: undefined })).toEqual([2, 3, 1, 0]);
  });

  it('go behind what is new where they are held back, and before what was not sent because of them', () => {
    const heldBack = new Map([[a, refused]]);
    expect(inOrder(queue, { steps, memory: emptyMemory, heldBack })).toEqual([1, 2, 3, 0]);
    const memory = { ...emptyMemory, failedLast: new Set([a]), skippedLast: new Set([b]) };
    expect(inOrder(queue, { steps, memory, heldBack })).toEqual([2, 3, 0, 1]);
  });
});
