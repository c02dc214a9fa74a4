import { describe, expect, it } from 'vitest';
import { ApiError, nodes } from '@atoll/kube';
import { ChangedBack } from './changed-back.ts';
import { Refusals } from './refusals.ts';
import { nothingToDo, type Plan } from '../../plan.ts';
import type { Step, StepResult } from '../../step.ts';

const second = 1_000;
const minute = 60 * second;
const key = 'hangzhou';

function label(value: string, node = 'n1'): Step {
  return {
    do: 'patch',
    why: { word: 'AttributesOutdated', message: 'because' },
    resource: nodes,
    key: { name: node },
    uid: `uid-${node}`,
    resourceVersion: String(Math.random()),
    patch: { type: 'merge', body: { metadata: { labels: { rack: value } } } },
    target: node,
  };
}

function refusal(code: number, reason: string): ApiError {
  return new ApiError({ fate: 'refused', code, reason, attempted: 'patch', message: reason });
}

function planOf(...steps: readonly Step[]): Plan {
  return { ...nothingToDo, stages: [{ name: 'write', steps }] };
}

/** Carries out the step as a reconcile does: sent unless it is held back. Yields what became of it, and when it is due. */
function reconcile(
  memory: ChangedBack,
  step: Step,
  at: number,
  by = key,
): { readonly sent: boolean; readonly dueMs?: number } {
  const [error] = memory.heldBack(by, planOf(step), at)?.values() ?? [];
  const result: StepResult =
    error === undefined ? { step, did: 'done' } : { step, did: 'failed', error, heldBack: true };
  const dueMs = memory.ended(by, [result], at);
  return { sent: error === undefined, ...(dueMs === undefined ? {} : { dueMs }) };
}

/** The moments at which it is written, where another writer changes it back and it is reconciled once a second. */
function writesOf(memory: ChangedBack, untilMs: number, from = 0): readonly number[] {
  const writes: number[] = [];
  for (let at = from; at < untilMs; at += second)
    if (reconcile(memory, label('r1'), at).sent) writes.push(at / second);
  return writes;
}

describe('an object that another writer changes back each time', () => {
  it('is written five times at once, and then after pauses that double up to five minutes', () => {
    expect(writesOf(new ChangedBack(), 20 * minute)).toEqual([0, 1, 2, 3, 4, 14, 34, 74, 154, 314, 614, 914]);
  });

  it('is due again when its pause is over', () => {
    const memory = new ChangedBack();
    writesOf(memory, 5 * second);
    expect(reconcile(memory, label('r1'), 5 * second)).toEqual({ sent: false, dueMs: 9 * second });
    expect(reconcile(memory, label('r1'), 13.5 * second)).toEqual({ sent: false, dueMs: 0.5 * second });
    expect(reconcile(memory, label('r1'), 14 * second)).toEqual({ sent: true });
  });

  it('is written at once where something else is wanted of it', () => {
    const memory = new ChangedBack();
    writesOf(memory, 8 * second);
    expect(reconcile(memory, label('r2'), 8 * second)).toEqual({ sent: true });
    expect(reconcile(memory, label('r1'), 9 * second)).toEqual({ sent: true });
  });

  it('is not held back where each write has other content than the one before', () => {
    const memory = new ChangedBack();
    for (let at = 0; at < minute; at += second)
      expect(reconcile(memory, label(`r${(at / second) % 2}`), at).sent).toBe(true);
  });

  it('is due at once where its pause ended during the reconcile', () => {
    const memory = new ChangedBack();
    writesOf(memory, 5 * second);
    const [error] = memory.heldBack(key, planOf(label('r1')), 13.9 * second)?.values() ?? [];
    if (error === undefined) throw new Error('it is not held back');
    const result: StepResult = { step: label('r1'), did: 'failed', error, heldBack: true };
    expect(memory.ended(key, [result], 14.5 * second)).toBe(0);
  });

  it('holds up no other object, and no other key', () => {
    const memory = new ChangedBack();
    writesOf(memory, 8 * second);
    expect(reconcile(memory, label('r1', 'n2'), 8 * second).sent).toBe(true);
    expect(memory.heldBack('beijing', planOf(label('r1')), 8 * second)).toBeUndefined();
    expect([
      ...(memory.heldBack(key, planOf(label('r1'), label('r1', 'n3')), 8 * second)?.keys() ?? []),
    ]).toEqual(['patch nodes n1']);
  });

  it('is written at once where another key wrote it in between, however often', () => {
    const memory = new ChangedBack();
    for (let at = 0; at < minute; at += 2 * second) {
      expect(reconcile(memory, label('r1'), at)).toEqual({ sent: true });
      expect(reconcile(memory, label('r2'), at + second, 'beijing')).toEqual({ sent: true });
    }
  });

  it('is due at once where another key wrote it while it was held back', () => {
    const memory = new ChangedBack();
    writesOf(memory, 5 * second);
    const [error] = memory.heldBack(key, planOf(label('r1')), 5 * second)?.values() ?? [];
    if (error === undefined) throw new Error('it is not held back');
    reconcile(memory, label('r2'), 5 * second, 'beijing');
    const held: StepResult = { step: label('r1'), did: 'failed', error, heldBack: true };
    expect(memory.ended(key, [held], 6 * second)).toBe(0);
  });

  it('says who is to be looked for', () => {
    const memory = new ChangedBack();
    writesOf(memory, 5 * second);
    const [error] = memory.heldBack(key, planOf(label('r1')), 5 * second)?.values() ?? [];
    expect(error).toBeInstanceOf(ApiError);
    expect(error?.message).toBe(
      'patch nodes n1: another writer, or a webhook, changes it back each time; metadata.managedFields of the object names writers. It is written again after a pause, which grows to 5 minutes',
    );
  });
});

describe('an object that stays as it was written', () => {
  it('for a minute is written as if for the first time', () => {
    const memory = new ChangedBack();
    writesOf(memory, 5 * second);
    expect(writesOf(memory, 74 * second, 65 * second)).toEqual([65, 66, 67, 68, 69]);
  });

  it('for less than twice its last pause is not', () => {
    const memory = new ChangedBack();
    // Written last after 154 s, with a pause of 160 s.
    writesOf(memory, 155 * second);
    expect(writesOf(memory, 480 * second, 473 * second)).toEqual([473]);
    expect(writesOf(memory, 1_120 * second, 1_113 * second)).toEqual([1113, 1114, 1115, 1116, 1117]);
  });
});

it('a child that is applied waits as what is patched', () => {
  const memory = new ChangedBack();
  const child: Step = {
    do: 'apply',
    why: { word: 'ChildDrifted', message: 'because' },
    resource: nodes,
    object: { metadata: { name: 'n1' } },
    uid: 'uid-n1',
    resourceVersion: '1',
  };
  const sent = Array.from({ length: 7 }, (_, index) => reconcile(memory, child, index * second).sent);
  expect(sent).toEqual([true, true, true, true, true, false, false]);
});

it('what was written is remembered for the last minute, or for twice its pause', () => {
  const memory = new ChangedBack();
  for (let at = 0; at < 10 * minute; at += second) reconcile(memory, label('r1', `n${at}`), at);
  expect(memory.size).toBe(61);
  reconcile(memory, label('r1', 'last'), 20 * minute);
  expect(memory.size).toBe(1);
});

it('of what was written again those that were not are forgotten', () => {
  const memory = new ChangedBack();
  for (let at = 0; at < 10 * minute; at += 30 * second) {
    reconcile(memory, label(`r${at}`, 'n1'), at);
    reconcile(memory, label('r1', `other-${at}`), at);
  }
  expect(memory.size).toBe(1 + 3);
});

describe('a write that updates no object', () => {
  const status = { ...label('r1'), subresource: 'status' } as Step;
  const creation: Step = {
    do: 'create',
    why: { word: 'ChildCreated', message: 'because' },
    resource: nodes,
    object: { metadata: { name: 'n1' } },
    managed: 'once',
  };

  it.each([
    ['of a status', status],
    ['that makes an object', creation],
  ])('%s never waits', (_title, step) => {
    const memory = new ChangedBack();
    for (let at = 0; at < minute; at += second) expect(reconcile(memory, step, at)).toEqual({ sent: true });
  });
});

it('a write that failed counts as none', () => {
  const memory = new ChangedBack();
  const error = refusal(409, 'Conflict');
  for (let at = 0; at < minute; at += second)
    expect(memory.ended(key, [{ step: label('r1'), did: 'failed', error }], at)).toBeUndefined();
  expect(memory.heldBack(key, planOf(label('r1')), minute)).toBeUndefined();
});

it('a write that failed for another reason is due when its own retry is', () => {
  const memory = new ChangedBack();
  writesOf(memory, 5 * second);
  const error = refusal(403, 'Forbidden');
  expect(memory.ended(key, [{ step: label('r1'), did: 'failed', error }], 6 * second)).toBeUndefined();
});

it('what waits because it is changed back is not taken for refused, and neither hides nor hurries the retry of what is', () => {
  const memory = new ChangedBack();
  const refusals = new Refusals();
  const denied = refusal(403, 'Forbidden');
  writesOf(memory, 5 * second);
  const waits = (at: number): number | undefined => {
    const held = memory.heldBack(key, planOf(label('r1')), at);
    const [error = denied] = held?.values() ?? [];
    const disputed: StepResult = { step: label('r1'), did: 'failed', error, heldBack: true };
    const known = refusals.heldBack(key, at);
    const refused: StepResult = { step: label('r1', 'n2'), did: 'failed', error: denied };
    return refusals.ended(
      key,
      [disputed, known === undefined ? refused : { ...refused, heldBack: true }],
      at,
    );
  };
  expect(waits(5 * second)).toBe(second);
  expect(waits(5.5 * second)).toBe(0.5 * second);
  expect(waits(6 * second)).toBe(10 * second);
  expect(waits(9 * second)).toBe(7 * second);
  expect([...(refusals.heldBack(key, 9 * second)?.keys() ?? [])]).toEqual(['patch nodes n2']);
});
