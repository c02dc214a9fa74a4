import { describe, expect, it } from 'vitest';
import { HeldObjects, namedObjects } from './held-objects.ts';

describe('objects that are held', () => {
  it('are named with their reasons until they are held no more', () => {
    const held = new HeldObjects();
    held.set('yurt-app-daemon', 'shop/web', new Map([['QuotaExceeded', true]]));
    held.set('node-pool', 'hz', new Map([['NodeRefused', true]]));
    expect(held.named()).toEqual([
      { controller: 'yurt-app-daemon', namespace: 'shop', name: 'web', reason: 'QuotaExceeded', wrong: true },
      { controller: 'node-pool', namespace: '', name: 'hz', reason: 'NodeRefused', wrong: true },
    ]);
    held.set('node-pool', 'hz', new Map());
    held.set('yurt-app-daemon', 'shop/web', new Map([['WaitingForReady', false]]));
    expect(held.named()).toMatchObject([{ name: 'web', reason: 'WaitingForReady', wrong: false }]);
  });

  it('are bounded, what is wrong before what waits', () => {
    const held = new HeldObjects();
    for (let index = 0; index < 2 * namedObjects; index += 1)
      held.set('united-deployment', `ns/waits-${index}`, new Map([['WaitingForReady', false]]));
    held.set('united-deployment', 'ns/wrong', new Map([['ChildRefused', true]]));
    const names = held.named().map(({ name }) => name);
    expect(names).toHaveLength(namedObjects);
    expect(names.slice(0, 3)).toEqual(['wrong', 'waits-0', 'waits-1']);
  });
});
