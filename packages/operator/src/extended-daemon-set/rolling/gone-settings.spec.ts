import { replicaSetConditions, type ExtendedDaemonSetCondition } from '@atoll/api';
import { toTimestamp, type Instant } from '@atoll/kube';
import { expect, it } from 'vitest';
import { now, replicaSet } from '../extended-daemon-set.fixture.ts';
import type { NodeTarget } from '../fleet/nodes/node-targets.ts';
import { nothingOverridden } from '../overrides/pod-overrides.ts';
import { mergeOldConditions } from '../replica-sets/conditions.ts';
import { goneSettings, goneStatement } from './gone-settings.ts';

const type = replicaSetConditions.settingsGone;

/** Of each node the pod was made with the setting of this name. */
function madeWith(names: readonly string[]): readonly NodeTarget[] {
  return names.map((gone, index) => {
    const overrides = { ...nothingOverridden, gone };
    return { target: { id: `n${index}` }, outdatedBy: 'overrides', overrides } as unknown as NodeTarget;
  });
}

/** That settings are gone, first since so many seconds ago. */
function shown(seconds: number, message?: string): ExtendedDaemonSetCondition {
  const at = toTimestamp(now - 1000 * seconds);
  const text = message === undefined ? {} : { message };
  return { type, status: 'True', lastTransitionTime: at, lastUpdateTime: at, ...text };
}

function noted(name: string, seconds: number): string {
  return `${name} since ${toTimestamp(now - 1000 * seconds)}`;
}

/** Since how many seconds each of them is gone, and the condition after that. */
function goneAmong(names: readonly string[], found?: ExtendedDaemonSetCondition, at: Instant = now) {
  const set = replicaSet(1, { conditions: found === undefined ? [] : [found] });
  const gone = goneSettings(set, madeWith(names), at);
  const [condition] = mergeOldConditions(set.status?.conditions, [goneStatement(set, gone)], at);
  const seconds = Object.fromEntries([...gone].map(([name, since]) => [name, (at - since) / 1000]));
  return { seconds, condition };
}

it.each([
  ['one that was not noted is gone since now', ['a'], undefined, { a: 0 }],
  ['one that is noted, since then', ['a'], shown(6, noted('a', 6)), { a: 6 }],
  ['one that goes later, since now', ['a', 'b'], shown(6, noted('a', 6)), { a: 6, b: 0 }],
  [
    'one that went later, since it is noted',
    ['a', 'b'],
    shown(30, [noted('a', 30), noted('b', 4)].join(', ')),
    { a: 30, b: 4 },
  ],
  ['one of which the name is the end of another one, since now', ['a'], shown(6, noted('b-a', 6)), { a: 0 }],
  ['one that is noted with a time that lies ahead, since now', ['a'], shown(6, noted('a', -60)), { a: 0 }],
  ['all, where the first time lies ahead, since now', ['a'], shown(-60, noted('a', 6)), { a: 0 }],
  ['one that is noted before the first time, since that', ['a'], shown(6, noted('a', 60)), { a: 6 }],
  ['all, where version 0.6.0 noted one time, since that', ['a', 'b'], shown(6), { a: 6, b: 6 }],
  ['one with an empty label, as any', ['', 'b'], shown(6, noted('', 6)), { '': 6, b: 0 }],
])('%s', (_, names, found, seconds) => {
  expect(goneAmong(names, found).seconds).toEqual(seconds);
});

it('notes each with its time, and in lastUpdateTime the first', () => {
  const { condition } = goneAmong(['b', 'a'], shown(6, noted('b', 6)));
  expect(condition).toMatchObject({
    message: [noted('b', 6), noted('a', 0)].join(', '),
    lastUpdateTime: toTimestamp(now - 6000),
  });
});

it('notes one no more that is back, or of which no pod is left', () => {
  const found = shown(30, [noted('a', 30), noted('b', 4)].join(', '));
  expect(goneAmong(['b'], found).condition).toMatchObject({
    message: noted('b', 4),
    lastUpdateTime: toTimestamp(now - 4000),
  });
});

it('leaves a condition of version 0.6.0 as it is until no setting is gone', () => {
  const found = shown(6);
  expect(goneAmong(['a'], found).condition).toEqual(found);
  expect(goneAmong([], found).condition).toMatchObject({ status: 'False' });
});

it('counts those for which the message has no room as gone since the first one is, and writes it no more', () => {
  const names = Array.from({ length: 40 }, (_, index) => `setting-of-a-node-${10 + index}`);
  const { condition } = goneAmong(names, undefined, now - 6000);
  expect(condition?.message?.length).toBeLessThanOrEqual(512);
  expect(condition?.message).toMatch(/Z and others$/);
  const later = goneAmong(names, condition);
  expect(new Set(Object.values(later.seconds))).toEqual(new Set([6]));
  expect(later.condition).toEqual(condition);
});

it('gives their times to those that find room later', () => {
  const names = Array.from({ length: 40 }, (_, index) => `setting-of-a-node-${10 + index}`);
  const { condition } = goneAmong(names, undefined, now - 6000);
  const left = goneAmong(names.slice(35), condition);
  expect(new Set(Object.values(left.seconds))).toEqual(new Set([6]));
  expect(left.condition?.message).toBe(
    names
      .slice(35)
      .map((name) => noted(name, 6))
      .join(', '),
  );
});

it('lets those that are noted keep their times beside others that find no room', () => {
  const names = Array.from({ length: 40 }, (_, index) => `setting-of-a-node-${10 + index}`);
  const { condition } = goneAmong(['z', ...names], shown(20, noted('z', 20)), now - 2000);
  const later = goneAmong(['z', ...names], condition);
  expect(later.seconds).toMatchObject({ z: 20, 'setting-of-a-node-10': 2, 'setting-of-a-node-49': 20 });
  expect(later.condition).toEqual(condition);
});
