import { expect, it } from 'vitest';
import { degradedAfterMs, overallStatements, type Standing, type Trouble } from './conditions.ts';

const now = Date.UTC(2026, 0, 1);

/** Trouble for so many milliseconds. */
function trouble(stalls: Trouble['stalls'], forMs: number): Partial<Standing> {
  return { trouble: { reason: 'ChildRefused', message: 'no', since: now - forMs, stalls } };
}

/** The types that are True. */
function areTrue(over: Partial<Standing>): string {
  const standing: Standing = {
    observed: true,
    done: false,
    moving: false,
    reason: 'RollingOut',
    message: 'some',
    trouble: undefined,
    ...over,
  };
  const statements = overallStatements(standing, now);
  return statements.flatMap(({ type, status }) => (status === 'True' ? [type] : [])).join(' ');
}

it.each<[string, Partial<Standing>, string]>([
  ['done', { done: true }, 'Ready'],
  ['done, and in trouble', { done: true, ...trouble('never', 0) }, ''],
  ['moving', { moving: true }, 'Progressing'],
  ['trouble that just came', trouble('if-it-lasts', degradedAfterMs - 1), ''],
  ['trouble that lasts', trouble('if-it-lasts', degradedAfterMs), 'Degraded Stalled'],
  [
    'trouble that lasts, and others move',
    { moving: true, ...trouble('if-it-lasts', degradedAfterMs) },
    'Progressing Degraded',
  ],
  ['trouble of the server that lasts', trouble('never', degradedAfterMs), 'Degraded'],
  ['trouble that only a change of the object ends', trouble('now', 0), 'Degraded Stalled'],
  ['such trouble, and others move', { moving: true, ...trouble('now', 0) }, 'Progressing'],
  ['waits for a person', { waitsForPerson: true }, 'Paused'],
  ['waits for a person, and others move', { moving: true, waitsForPerson: true }, 'Progressing'],
])('%s: these conditions are True', (_, standing, expected) => {
  expect(areTrue(standing)).toBe(expected);
});
