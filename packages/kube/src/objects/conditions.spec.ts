import { describe, expect, test } from 'vitest';
import { conditionOf, conditionSince, instantOf, isReady, mergeConditions } from './conditions.ts';

const before = Date.UTC(2026, 0, 1);
const now = before + 60_000;
const statement = { type: 'Ready', status: 'True', reason: 'Same', message: 'm' } as const;
const found = { ...statement, lastTransitionTime: '2026-01-01T00:00:00Z' };

test.each([
  ['moves with the status, whatever the reason', { ...statement, status: 'False' }, '2026-01-01T00:01:00Z'],
  ['stays with the status, whatever the reason', { ...statement, reason: 'Other' }, '2026-01-01T00:00:00Z'],
] as const)('the transition time of a condition %s', (_title, statement, time) => {
  expect(mergeConditions([found], [statement], ['Ready'], 1, now)).toMatchObject([
    { ...statement, lastTransitionTime: time },
  ]);
});

test.each([
  [true, { conditions: [found] }],
  [false, { conditions: [{ ...found, status: 'False' }] }],
  [false, { conditions: [{ ...found, status: 'Unknown' }] }],
  [false, { conditions: [{ ...found, type: 'ContainersReady' }] }],
  [false, { conditions: [] }],
  [false, {}],
  [false, undefined],
])('%s: an object with the status %j is Ready', (ready, status) => {
  expect(isReady({ status })).toBe(ready);
});

test('the condition of a type is found, and none where there is none', () => {
  expect(conditionOf({ status: { conditions: [found] } }, 'Ready')).toBe(found);
  expect(conditionOf({ status: { conditions: [found] } }, 'Progressing')).toBeUndefined();
});

test.each([
  ['2026-01-01T00:00:00Z', before],
  ['2026-01-01T00:00:00.000000Z', before],
  ['yesterday', undefined],
  [7, undefined],
  [undefined, undefined],
])('the instant of %j is %j', (timestamp, instant) => {
  expect(instantOf(timestamp)).toBe(instant);
});

describe('conditions that somebody wrote before there was a schema', () => {
  const merge = (conditions: unknown) =>
    mergeConditions(conditions as unknown as [], [statement], ['Ready'], 1, now);
  const ready = expect.objectContaining(statement) as unknown;

  test.each([[{ type: 'Ready', status: 'True' }], ['True'], [7], [true], [null], [undefined]])(
    'where they are no list, as %j, are replaced, and none is found among them',
    (conditions) => {
      const status = { conditions: conditions as unknown as [] };
      expect(merge(conditions)).toEqual([ready]);
      expect(conditionSince(conditions as unknown as [], 'Ready', 'True')).toBeUndefined();
      expect(conditionOf({ status }, 'Ready')).toBeUndefined();
      expect(isReady({ status })).toBe(false);
    },
  );

  const theirs = { type: 'Theirs', status: 'True', lastTransitionTime: null };
  test.each([
    ['no object', null],
    ['no object', 'Ready'],
    ['no object', [statement]],
    ['of a field that is no text', { ...theirs, status: true }],
    ['of a field that is no text', { ...theirs, message: { text: 'm' } }],
    ['of a time that is none', { ...theirs, lastTransitionTime: 'yesterday' }],
    ['of a time that is none', { ...theirs, lastTransitionTime: '2026-01-01' }],
    ['of a time that is none', { ...theirs, lastUpdateTime: 7 }],
    ['of a generation that is none', { ...theirs, observedGeneration: '7' }],
    ['of a generation that is none', { ...theirs, observedGeneration: 1.5 }],
  ])('one that is %s, which no API server would store, is left out: %j', (_title, odd) => {
    const good = { type: 'Good', status: 'False' };
    expect(merge([odd, good])).toEqual([good, ready]);
    expect(conditionOf({ status: { conditions: [odd, good] as unknown as [] } }, 'Good')).toBe(good);
    expect(conditionSince([odd, good] as unknown as [], 'Good', 'True')).toBeUndefined();
  });

  test('a time of ours that is none is stated anew', () => {
    const odd = { ...found, lastTransitionTime: 'yesterday' };
    expect(merge([odd])).toMatchObject([{ ...statement, lastTransitionTime: '2026-01-01T00:01:00Z' }]);
  });

  test('fields that nobody filled in, or that this version does not know, stay', () => {
    const other = { ...theirs, lastHeartbeatTime: '2026-01-01T00:00:00Z', more: { a: 1 } };
    expect(merge([other])).toEqual([other, ready]);
  });
});

describe('the message of a condition that is too long', () => {
  const messageOf = (message: string): string =>
    (mergeConditions([], [{ ...statement, message }], [], 1, now)[0] as { message: string }).message;
  const nodes = ['21', '22', '23']
    .map((last) => `ip-10-0-1-${last}.eu-central-1.compute.internal`)
    .join(', ');

  test('keeps which object, what is wrong and what to do; what a server answered in between is shortened', () => {
    const wrong = `${nodes} and 197 more: the Job edge/image-pre-pull-agent could not pull the images: `;
    const todo = '. Remove the label example.com/registry, or ask again with the annotation example.com/pull';
    const message = messageOf(`${wrong}${'failed to resolve reference '.repeat(40)}${todo}`);
    expect(message.startsWith(wrong)).toBe(true);
    expect(message.endsWith(todo)).toBe(true);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(512);
  });

  test('keeps the last words of a server, which are the reason', () => {
    const message = messageOf(
      `${nodes}: create pods: ${'failed to do: '.repeat(60)}denied, see https://policy.example/7`,
    );
    expect(message).toMatch(/denied, see https:\/\/policy\.example\/7$/);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(512);
  });

  test('has no half of a character, in whose place the API server would keep another', () => {
    for (let before = 0; before < 4; before++) {
      const message = messageOf(`${'x'.repeat(before)}${'😀'.repeat(400)}`);
      expect(message.isWellFormed()).toBe(true);
    }
  });
});
