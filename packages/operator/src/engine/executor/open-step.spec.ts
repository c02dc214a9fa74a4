import { deployments, statefulSets } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { stored } from '../engine.fixture.ts';
import { guardOf, nothingToDo, type Plan } from '../plan.ts';
import { seenAs } from '../steps/seen.ts';
import type { Facts } from './facts.ts';
import { placed, readLive, type Advanced, type OpenStep } from './open-step.ts';
import { executionRules } from './rules.ts';
import type { WriteStep } from './requests/request.ts';

const [web, db] = [deployments, statefulSets] as readonly unknown[] as readonly [
  Resource<KubeObject>,
  Resource<KubeObject>,
];
const key = { namespace: 'edge', name: 'a' };
const parent = stored(web, 'parent', '1', { generation: 1 });
const [first, second] = [stored(web, 'first', '1'), stored(db, 'second', '1')];
const changed = { ...second, metadata: { ...second.metadata, uid: 'another' } };
const plan: Plan = { ...nothingToDo, guards: [guardOf(web, parent)] };
const leading: Facts = { leads: true, stopping: false, now: 0, cached: () => 'uncached' };

/** A deletion that rests on two objects and cannot be taken back. */
const step: WriteStep = {
  do: 'delete',
  why: { word: 'ChildDeleted', message: 'two others serve' },
  resource: web,
  key,
  uid: 'uid-a',
  propagation: 'Background',
  irreversible: true,
  restsOn: [
    seenAs(web, { namespace: 'edge', name: 'first' }, first),
    seenAs(db, { namespace: 'edge', name: 'second' }, second),
  ],
};

function waitingFor({ next }: Advanced): OpenStep {
  if (!('waitsFor' in next)) throw new Error('the step is over');
  return { index: 0, step, waitsFor: next.waitsFor };
}

/** What the step came to by these live reads, one after the other. */
function after(lives: readonly (KubeObject | undefined)[], facts = leading): Advanced {
  const open: OpenStep = { index: 0, step, waitsFor: { for: 'place' } };
  let advanced = placed(open, plan, leading, executionRules);
  for (const live of lives) {
    const read = { live } as Parameters<typeof readLive>[1];
    advanced = readLive(waitingFor(advanced), read, plan, facts, executionRules);
  }
  return advanced;
}

describe('a step that cannot be taken back and rests on other objects', () => {
  it('reads each of them live, and what its plan was made for, before it is sent', () => {
    const read = (resource: object, name: string) => ({ command: 'read', resource, key: { name } });
    expect(after([]).commands).toMatchObject([read(web, 'first')]);
    expect(after([first]).commands.at(-1)).toMatchObject(read(db, 'second'));
    expect(after([first, second]).commands.at(-1)).toMatchObject(read(web, 'parent'));
    expect(after([first, second, parent]).commands.at(-1)).toMatchObject({ command: 'send', step });
  });

  it.each([
    ['the first of them', [undefined]],
    ['the last of them', [first, changed]],
    ['what its plan was made for', [first, second, undefined]],
  ])('is not sent where %s is not as it was seen', (_, lives) => {
    const { commands, next } = after(lives);
    expect(next).toEqual({ result: { step, did: 'skipped', because: 'plan-outdated' } });
    expect(commands).toMatchObject([{ command: 'cache' }]);
  });

  it('shows what it reads to the caches, also where it goes on', () => {
    expect(after([first]).commands[0]).toEqual({
      command: 'cache',
      updates: [{ resource: web, present: first }],
    });
  });

  it('is not sent where leadership ended while it was read for', () => {
    const { next } = after([first, second, parent], { ...leading, leads: false });
    expect(next).toEqual({ result: { step, did: 'skipped', because: 'not-leader' } });
  });
});
