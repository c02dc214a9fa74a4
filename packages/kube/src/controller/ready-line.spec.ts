import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ReadyLine } from './ready-line.ts';

function lineOf(...keys: readonly (readonly [key: string, priority?: number, lane?: string])[]): ReadyLine {
  const line = new ReadyLine(1, () => 0);
  for (const [key, priority = 0, lane] of keys) line.put(key, priority, lane);
  return line;
}

function takeAll(line: ReadyLine): string[] {
  const taken: string[] = [];
  for (let key = line.take(); key !== undefined; key = line.take()) taken.push(key);
  return taken;
}

describe('a line of ready keys', () => {
  test('gives the highest priority first, equal in order of arrival', () => {
    const line = lineOf(['list-1', -100], ['list-2', -100], ['event-1'], ['urgent', 10], ['event-2']);
    expect(takeAll(line)).toEqual(['urgent', 'event-1', 'event-2', 'list-1', 'list-2']);
  });

  test('has each key once, where it stood furthest ahead', () => {
    const line = lineOf(['raised', -100], ['first', 2], ['b'], ['raised', 1], ['first', -1]);
    expect(line.length).toBe(3);
    expect(takeAll(line)).toEqual(['first', 'raised', 'b']);
    expect(line.length).toBe(0);
  });

  test('lets a key below 0 wait for those of the next ten seconds, and for higher ones', () => {
    let now = 0;
    const line = new ReadyLine(1, () => now);
    line.put('list', -100, undefined);
    now = 9_999;
    line.put('event', 0, undefined);
    now = 10_001;
    line.put('late', 0, undefined);
    line.put('urgent', 1, undefined);
    expect(takeAll(line)).toEqual(['urgent', 'event', 'list', 'late']);
  });

  test('puts a key below 0 that is raised after ten seconds no further back', () => {
    let now = 0;
    const line = new ReadyLine(1, () => now);
    line.put('list', -100, undefined);
    now = 15_000;
    line.put('event', 0, undefined);
    line.put('list', 0, undefined);
    expect(takeAll(line)).toEqual(['list', 'event']);
  });

  test('gives one that has waited for five seconds its turn among higher ones, and the next 50 ms later', () => {
    let now = 0;
    const line = new ReadyLine(1, () => now);
    line.put('old-1', 0, undefined);
    line.put('old-2', 0, undefined);
    const busy = (): string | undefined => {
      for (const key of ['busy-1', 'busy-2']) line.put(key, 1, undefined);
      return line.take();
    };
    now = 4_999;
    expect([busy(), busy()]).toEqual(['busy-1', 'busy-2']);
    now = 5_049;
    expect([busy(), busy(), busy()]).toEqual(['busy-1', 'busy-2', 'old-1']);
    expect([busy(), busy(), busy()]).toEqual(['busy-1', 'busy-2', 'busy-1']);
    now = 5_099;
    expect([busy(), busy(), busy()]).toEqual(['busy-2', 'busy-1', 'old-2']);
  });

  test('puts no key behind a list that is done', () => {
    let now = 0;
    const line = new ReadyLine(1, () => now);
    for (let number = 0; number < 10_000; number += 1) line.put(`listed-${number}`, -100, undefined);
    takeAll(line);
    line.put('busy', 0, undefined);
    line.put('listed', -100, undefined);
    now = 10_100;
    line.put('event', 0, undefined);
    expect(takeAll(line)).toEqual(['busy', 'listed', 'event']);
  });

  test('drops what is removed', () => {
    const line = lineOf(['a'], ['b']);
    line.remove('a');
    expect(line.length).toBe(1);
    expect(takeAll(line)).toEqual(['b']);
  });
});

describe('a lane', () => {
  test('lets one key out at a time, and holds up nobody else', () => {
    const line = lineOf(['x1', 0, 'x'], ['x2', 0, 'x'], ['y1', 0, 'y'], ['free'], ['x3', 0, 'x']);
    expect(takeAll(line)).toEqual(['x1', 'y1', 'free']);
    expect(line.length).toBe(2);
    expect(line.free('x')).toBe(true);
    expect(takeAll(line)).toEqual(['x2']);
    line.free('x');
    expect(takeAll(line)).toEqual(['x3']);
  });

  test('lets as many keys out at a time as it is given', () => {
    const line = new ReadyLine(2, () => 0);
    for (const key of ['x1', 'x2', 'x3', 'x4', 'x5']) line.put(key, 0, 'x');
    expect(takeAll(line)).toEqual(['x1', 'x2']);
    line.free('x');
    expect(takeAll(line)).toEqual(['x3']);
    line.free('x');
    line.free('x');
    expect(takeAll(line)).toEqual(['x4', 'x5']);
  });

  test('returns whether somebody waited for it', () => {
    const line = lineOf(['x1', 0, 'x']);
    line.take();
    expect(line.free('x')).toBe(false);
  });

  test('gives a key behind it its new place when it is free', () => {
    const line = lineOf(['x1', 5, 'x'], ['x2', 0, 'x'], ['x3', 0, 'x']);
    expect(takeAll(line)).toEqual(['x1']);
    line.put('x3', 1, 'x');
    expect(takeAll(line)).toEqual([]);
    line.free('x');
    expect(takeAll(line)).toEqual(['x3']);
  });
});

test('ten thousand keys of one lane cost about what those of many lanes do', () => {
  const count = 10_000;
  const run = (laneOf: (index: number) => string): number => {
    const line = new ReadyLine(1, () => 0);
    for (let index = 0; index < count; index++) line.put(`${index}`, 0, laneOf(index));
    const startedAt = performance.now();
    for (let index = 0; index < count; index++) {
      const taken = line.take() ?? '';
      // Another worker asks too, and gets nothing where the lane is full.
      const other = line.take();
      if (other !== undefined) line.put(other, 1, laneOf(Number(other)));
      line.free(laneOf(Number(taken)));
    }
    return performance.now() - startedAt;
  };
  const many = run((index) => `${index}`);
  // Where each that is done made all others line up again, it was several hundred times as much.
  expect(run(() => 'one')).toBeLessThan(many * 50 + 100);
});

const keys = fc.constantFrom('a', 'b', 'c', 'd');
const actions = fc.oneof(
  fc.record({ do: fc.constant('put' as const), key: keys, priority: fc.integer({ min: -2, max: 2 }) }),
  fc.record({ do: fc.constant('remove' as const), key: keys }),
  fc.record({ do: fc.constantFrom('take' as const, 'free' as const) }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, 50, 5_000, 10_000) }),
);

function laneOf(key: string): string | undefined {
  return key < 'c' ? 'x' : undefined;
}

interface Waiting {
  readonly key: string;
  readonly priority: number;
  /** When it came; for a key below 0 ten seconds later, and 50 ms after the one before. */
  readonly cameAt: number;
}

/** Negative where the first goes before the second, 0 where the one that came first does. */
function inOrder(a: Waiting, b: Waiting): number {
  if (a.priority > 0 || b.priority > 0) return b.priority - a.priority;
  return a.cameAt - b.cameAt || b.priority - a.priority;
}

/** What a line must do, written with a list that is searched each time. */
class PlainLine {
  #waiting: readonly Waiting[] = [];
  readonly #keysPerLane: number;
  readonly #now: () => number;
  #out = 0;
  #lastLow = 0;
  #lookedAt = -50;

  constructor(keysPerLane: number, now: () => number) {
    this.#keysPerLane = keysPerLane;
    this.#now = now;
  }

  get length(): number {
    return this.#waiting.length;
  }

  put(key: string, priority: number): void {
    const [first, waiting] = [this.#now() + 10_000, this.#waiting.length];
    const after = Math.min(this.#lastLow + 50, first + waiting * 50);
    const low = waiting === 0 ? first : Math.max(first, after);
    const put = { key, priority, cameAt: priority < 0 ? low : this.#now() };
    const current = this.#waiting.find((each) => each.key === key);
    if (current !== undefined && inOrder(current, put) <= 0) return;
    if (priority < 0) this.#lastLow = low;
    this.remove(key);
    this.#waiting = [...this.#waiting, put];
  }

  remove(key: string): void {
    this.#waiting = this.#waiting.filter((each) => each.key !== key);
  }

  take(): string | undefined {
    const free = this.#waiting.filter(
      ({ key }) => this.#out < this.#keysPerLane || laneOf(key) === undefined,
    );
    const [first] = free.toSorted(inOrder);
    if (first === undefined) return undefined;
    this.remove(first.key);
    if (laneOf(first.key) !== undefined) this.#out += 1;
    if (first.priority > 0) this.#raise();
    return first.key;
  }

  /** Every 50 ms at most one that has waited for five seconds. */
  #raise(): void {
    const now = this.#now();
    if (now - this.#lookedAt < 50) return;
    this.#lookedAt = now;
    const old = this.#waiting.find(({ priority, cameAt }) => priority <= 0 && now - cameAt >= 5_000);
    if (old !== undefined) this.put(old.key, 1);
  }

  free(): void {
    this.#out = Math.max(0, this.#out - 1);
  }
}

type Line = Pick<ReadyLine, 'put' | 'remove' | 'take' | 'length'> & { free(lane: string): unknown };
type Action = typeof actions extends fc.Arbitrary<infer D> ? D : never;

/** The keys that a history yields, and how many wait after each action. */
function run(history: readonly Action[], lineAt: (now: () => number) => Line): unknown[] {
  let now = 0;
  const line = lineAt(() => now);
  return history.map((action) => {
    let taken: string | undefined;
    if (action.do === 'put') line.put(action.key, action.priority, laneOf(action.key));
    else if (action.do === 'remove') line.remove(action.key);
    else if (action.do === 'free') line.free('x');
    else if (action.do === 'pass') now += action.ms;
    else taken = line.take();
    return [taken, line.length];
  });
}

test('whatever is put, removed, taken and freed, it gives what a list that is searched would give', () => {
  fc.assert(
    fc.property(
      fc.array(actions, { maxLength: 40 }),
      fc.integer({ min: 1, max: 3 }),
      (history, keysPerLane) => {
        expect(run(history, (now) => new ReadyLine(keysPerLane, now))).toEqual(
          run(history, (now) => new PlainLine(keysPerLane, now)),
        );
      },
    ),
    { numRuns: 500 },
  );
});
