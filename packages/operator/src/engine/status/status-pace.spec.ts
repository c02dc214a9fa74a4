import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject, Resource } from '@atoll/kube';
import type { StatusWrite } from '../controller.ts';
import { statusPlan } from '../reconcile/status-plan.ts';
import type { Step, StepResult } from '../step.ts';
import { intervalEnd, intervalMs, isImmediate, StatusPace } from './status-pace.ts';
import { WriteBudget } from './write-budget.ts';

const start = Date.UTC(2026, 0, 1);
const resource = {
  group: 'example.com',
  version: 'v1',
  kind: 'Spread',
  plural: 'spreads',
} as Resource<KubeObject>;

interface Said {
  readonly ready?: string;
  readonly done?: number;
  readonly generation?: number;
  readonly filler?: string;
  /** A condition of the kind's own. */
  readonly provisioned?: string;
}

function status({
  ready = 'False',
  done = 0,
  generation = 1,
  filler = '',
  provisioned = 'False',
}: Said): object {
  const message = `${done} of 1000 are done`;
  return {
    observedGeneration: generation,
    done,
    filler,
    conditions: [
      { type: 'Ready', status: ready, reason: 'RollingOut', message },
      { type: 'SubsetProvisioned', status: provisioned, reason: '', message: '' },
    ],
  };
}

function write(from: Said | undefined, to: Said): StatusWrite {
  const metadata = { name: 'web', namespace: 'edge', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
  const object = { metadata, ...(from === undefined ? {} : { status: status(from) }) };
  return { resource, object: object as StatusWrite['object'], status: status(to) };
}

function named(name: string, one: StatusWrite): StatusWrite {
  const metadata = { ...one.object.metadata, name, uid: name };
  return { ...one, object: { ...one.object, metadata } };
}

function skipped(steps: readonly Step[]): readonly StepResult[] {
  return steps.map((step) => ({ step, did: 'skipped', because: 'plan-outdated' }));
}

const written = {
  writtenAt: start,
  intervalMs: 5_000,
  turnsFrom: start,
  turnedAt: [],
  generation: undefined,
};

/** A pace that has just seen the object written with this status. */
function after(from: Said | undefined): StatusPace {
  const pace = new StatusPace();
  if (from !== undefined) pace.wrote(write(undefined, from), start);
  return pace;
}

describe('a status may be written', () => {
  const table: readonly (readonly [string, Said | undefined, Said, number, number])[] = [
    ['now where a condition turns', { ready: 'False' }, { ready: 'True' }, 1, 1],
    ['now where a generation was seen', { generation: 1 }, { generation: 2 }, 1, 1],
    ['now where there is none yet', undefined, {}, 1, 1],
    [
      "an interval after the last where a condition of the kind's own turns",
      { provisioned: 'False' },
      { provisioned: 'True' },
      1,
      intervalMs(status({})),
    ],
    ['now after a quiet time', { done: 1 }, { done: 2 }, 20_000, 20_000],
    ['an interval after the last while counts move', { done: 1 }, { done: 2 }, 1, intervalMs(status({}))],
  ];
  it.each(table)('%s', (_, from, to, afterMs, dueMs) => {
    const { nextAt = start + afterMs } = after(from).sort([write(from, to)], start + afterMs);
    expect(nextAt - start).toBe(dueMs);
  });

  const sizes: readonly (readonly [number, number])[] = [
    [0, 5_000],
    [262_144, 13_000],
    [2_000_000, 15_000],
  ];
  it.each(sizes)('with %d characters more in an interval of %d ms', (size, wantedMs) => {
    const found = intervalMs(status({ filler: 'x'.repeat(size) }));
    expect(Math.abs(found - wantedMs)).toBeLessThan(10);
  });

  it.each<[string, Said, Said]>([
    ['counts', { done: 1 }, { done: 2 }],
    ['what turns', { ready: 'True' }, { ready: 'False' }],
    ['that a new spec was seen', { generation: 1 }, { generation: 2 }],
  ])('as often as the controller asks, where others rely on the status: %s', (_, from, to) => {
    const pace = new StatusPace();
    const paced = (one: StatusWrite): StatusWrite => ({ ...one, paceMs: 1_000 });
    pace.wrote(paced(write(undefined, from)), start);
    const { now, nextAt } = pace.sort([paced(write(from, to))], start + 100);
    expect([now, nextAt]).toEqual([[], start + intervalMs(status(from), 1_000)]);
    expect(Number(nextAt) - start).toBeLessThan(1_010);
  });

  it('now where nothing is remembered, as after a restart', () => {
    const counts = write({ done: 1 }, { done: 2 });
    expect(new StatusPace().sort([counts], start).now).toEqual([counts]);
  });

  it('now when the clock was set back', () => {
    const pace = after({ done: 1 });
    const counts = write({ done: 1 }, { done: 2 });
    expect(pace.sort([counts], start + 1).now).toEqual([]);
    expect(pace.sort([counts], start - 3_600_000).now).toEqual([counts]);
    expect(intervalEnd(written, start - 1)).toBe(start - 1);
  });
});

it.each([
  ['a condition that flaps', { ready: 'False' }, { ready: 'True' }, false],
  ['what the controller calls urgent and flaps', { done: 1 }, { done: 2 }, true],
])('%s waits like everything else, and turns at once again after a calm minute', (_, one, other, urgent) => {
  const pace = new StatusPace();
  const [up, down] = [
    { ...write(one, other), urgent },
    { ...write(other, one), urgent },
  ];
  let now = start;
  const sent: number[] = [];
  for (let turn = 0; turn < 300; turn++, now += 100) {
    const next = sent.length % 2 === 0 ? up : down;
    if (pace.sort([next], now).now.length === 0) continue;
    pace.wrote(next, now);
    sent.push(now);
  }
  expect(sent.length).toBeLessThanOrEqual(7 + 30_000 / 5_000);
  now += 60_000;
  for (const next of [up, down]) {
    expect(pace.sort([next], now).now).toEqual([next]);
    pace.wrote(next, now);
    now += 100;
  }
});

describe('after six turns within a minute', () => {
  const [up, down] = [
    write({ ready: 'False' }, { ready: 'True' }),
    write({ ready: 'True' }, { ready: 'False' }),
  ];

  /** A pace that wrote a turn every 100 ms, as long as each went at once. */
  function flapping(): { readonly pace: StatusPace; readonly sent: number; readonly now: number } {
    const pace = after({ ready: 'False' });
    for (let sent = 0, now = start + 100; ; sent += 1, now += 100) {
      const next = sent % 2 === 0 ? up : down;
      if (pace.sort([next], now).now.length === 0) return { pace, sent, now };
      pace.wrote(next, now);
    }
  }

  it('the next one waits', () => {
    expect(flapping().sent).toBe(6);
  });

  it('that a new spec was seen is written at once', () => {
    const { pace, now } = flapping();
    const seen = write({ ready: 'False' }, { ready: 'False', generation: 2 });
    expect(pace.sort([seen], now).now).toEqual([seen]);
  });

  it('one of another spec is written at once, also where the status does not name the spec', () => {
    const { pace, sent, now } = flapping();
    const next = sent % 2 === 0 ? up : down;
    const { object } = next;
    const changed = { ...next, object: { ...object, metadata: { ...object.metadata, generation: 2 } } };
    expect(pace.sort([changed], now).now).toEqual([changed]);
    pace.wrote(changed, now);
    expect(pace.sort([changed], now + 100).now).toEqual([changed]);
  });

  it('one that came in the time before a clock was set back does not count', () => {
    const { pace } = flapping();
    const before = start - 3_600_000;
    for (const next of [up, down]) {
      expect(pace.sort([next], before).now).toEqual([next]);
      pace.wrote(next, before);
    }
  });
});

it('a condition that goes is written at once', () => {
  const { object, status: to } = write({ done: 1 }, { done: 1 });
  const { status: found } = object as { readonly status?: { readonly conditions?: readonly object[] } };
  const stalled = { type: 'Stalled', status: 'True', reason: 'InvalidTemplate', message: '' };
  const from = { ...object, status: { ...found, conditions: [...(found?.conditions ?? []), stalled] } };
  const going: StatusWrite = { resource, object: from as StatusWrite['object'], status: to };
  expect(isImmediate(going, written, start + 100)).toBe(true);
});

it('an object that is made anew under the same name waits for no write of the old one', () => {
  const pace = after({ done: 1 });
  const { object, ...counts } = write({ done: 1 }, { done: 2 });
  const anew = { ...counts, object: { ...object, metadata: { ...object.metadata, uid: 'another' } } };
  expect(pace.sort([anew], start + 100).now).toEqual([anew]);
});

it('a write that failed makes the next one wait for nothing', () => {
  const pace = new StatusPace();
  const counts = write({ done: 1 }, { done: 2 });
  const steps = statusPlan([counts]).stages.flatMap((stage) => stage.steps);
  pace.answered([counts], { results: skipped(steps) }, start);
  expect(pace.sort([counts], start + 100).now).toEqual([counts]);
});

it('returns when the first of several writes is due', () => {
  const pace = new StatusPace();
  const [first, last] = [
    named('a', write({ done: 1 }, { done: 2 })),
    named('b', write({ done: 1 }, { done: 2 })),
  ];
  pace.wrote(first, start);
  pace.wrote(last, start + 2_000);
  const alone = pace.sort([first], start + 2_100).nextAt;
  expect(pace.sort([first, last], start + 2_100)).toEqual({ now: [], nextAt: alone });
});

describe('the budget of all objects', () => {
  const counts = write({ done: 1 }, { done: 2 });

  it('has counts of many wait for their turn, whichever controllers write them, and none that turns', () => {
    const budget = new WriteBudget({ perSecond: 1, burst: 2 });
    const [first, second] = [new StatusPace(budget), new StatusPace(budget)];
    const dueAt = (pace: StatusPace, name: string) => pace.sort([named(name, counts)], start).nextAt;
    expect([dueAt(first, 'a'), dueAt(first, 'b')]).toEqual([undefined, undefined]);
    expect([dueAt(first, 'c'), dueAt(second, 'd')]).toEqual([start + 1_000, start + 2_000]);
    expect(dueAt(first, 'c')).toBe(start + 1_000);
    const turns = named('e', write({ ready: 'False' }, { ready: 'True' }));
    expect(second.sort([turns], start).now).toEqual([turns]);
  });

  it('pays once for a write that waited', () => {
    const budget = new WriteBudget();
    const pace = new StatusPace(budget);
    pace.wrote(counts, start);
    const { nextAt = start } = pace.sort([counts], start + 100);
    const { paidAt } = budget;
    expect(pace.sort([counts], nextAt).now).toEqual([counts]);
    pace.wrote(counts, nextAt);
    expect(budget.paidAt).toBe(paidAt);
  });

  it('pays for no status with a pace of its own', () => {
    const budget = new WriteBudget();
    new StatusPace(budget).wrote({ ...counts, paceMs: 1_000 }, start);
    expect(budget.paidAt).toBe(-Infinity);
  });
});

it('somebody who changes the spec often within a minute sees each change and its end at once', () => {
  const pace = new StatusPace();
  let now = start;
  for (let generation = 2; generation <= 12; generation++, now += 2_000) {
    const seen = write({ ready: 'True', generation: generation - 1 }, { ready: 'False', generation });
    const done = write({ ready: 'False', generation }, { ready: 'True', generation });
    for (const each of [seen, done]) {
      expect(pace.sort([each], now).now).toEqual([each]);
      pace.wrote(each, now);
    }
  }
});

describe('among many objects', () => {
  const names = Array.from({ length: 200 }, (_, index) => `web-${index}`);
  const counts = write({ done: 1 }, { done: 2 });

  it('that a new spec was seen, and each condition that turns, is written immediately', () => {
    const pace = new StatusPace();
    const seen = write({ ready: 'True', generation: 1 }, { ready: 'False', generation: 2 });
    const done = write({ ready: 'False', generation: 2 }, { ready: 'True', generation: 2 });
    for (const each of [seen, done]) {
      for (const name of names) {
        const one = named(name, each);
        expect(pace.sort([one], start).now).toEqual([one]);
        pace.wrote(one, start);
      }
    }
  });

  it('counts are written five times a second, each object in its turn, and none waits for more than a minute', () => {
    const pace = new StatusPace();
    for (const name of names) pace.wrote(named(name, counts), start);
    const due = names.map((name) => pace.sort([named(name, counts)], start + 100).nextAt ?? 0);
    expect(due).toEqual(due.toSorted((a, b) => a - b));
    expect(Math.max(...due) - start).toBeLessThanOrEqual(60_100);
    const busiest = due.filter((at) => at >= start + 30_000 && at < start + 31_000).length;
    expect(busiest).toBeLessThanOrEqual(5);
  });

  it('a write is due at the moment that was named first, whatever is asked meanwhile', () => {
    const pace = new StatusPace();
    for (const name of names) pace.wrote(named(name, counts), start);
    const first = pace.sort([named('web-0', counts)], start + 100).nextAt;
    for (const name of names) pace.sort([named(name, counts)], start + 200);
    expect(pace.sort([named('web-0', counts)], start + 300).nextAt).toBe(first);
    expect(pace.sort([named('web-0', counts)], first ?? 0).now).toHaveLength(1);
  });

  it('a status with a pace of its own waits for no other', () => {
    const pace = new StatusPace();
    for (const name of names) pace.wrote(named(name, counts), start);
    const own = named('web-0', { ...counts, paceMs: 1_000 });
    pace.wrote(own, start);
    expect(pace.sort([own], start + 2_000).now).toEqual([own]);
  });
});

it('what the controller calls urgent goes at once', () => {
  const urgent = { ...write({ done: 1 }, { done: 2 }), urgent: true };
  expect(isImmediate(urgent, written, start + 100)).toBe(true);
});

describe('less than a second after counts were written', () => {
  /** A pace that wrote counts at `start`, and a turn long before. */
  function afterCounts(): StatusPace {
    const pace = after({ done: 0 });
    pace.wrote(write({ done: 0 }, { done: 1 }), start + 10_000);
    return pace;
  }

  it.each<[string, StatusWrite]>([
    ['a condition that turns', write({ done: 1 }, { done: 2, ready: 'True' })],
    ['what the controller calls urgent', { ...write({ done: 1 }, { done: 2 }), urgent: true }],
  ])('%s is written at the end of that second, and no later', (_, turn) => {
    const pace = afterCounts();
    expect(pace.sort([turn], start + 10_200)).toEqual({ now: [], nextAt: start + 11_000 });
    expect(pace.sort([turn], start + 11_000).now).toEqual([turn]);
    pace.wrote(turn, start + 11_000);
    const back = { ...write({ done: 2, ready: 'True' }, { done: 2, ready: 'False' }), urgent: true };
    expect(pace.sort([back], start + 11_100).now).toEqual([back]);
  });

  it('that a new spec was seen is written at once', () => {
    const seen = write({ done: 1 }, { done: 0, generation: 2 });
    expect(afterCounts().sort([seen], start + 10_200).now).toEqual([seen]);
  });

  it('a clock that was set back keeps no turn waiting', () => {
    const turn = write({ done: 1 }, { done: 2, ready: 'True' });
    expect(afterCounts().sort([turn], start - 3_600_000).now).toEqual([turn]);
  });
});

it('returns when to requeue, and nothing where the status is as it should be', () => {
  const pace = new StatusPace();
  pace.wrote(write(undefined, { done: 1 }), start);
  const { now, nextAt } = pace.sort([write({ done: 1 }, { done: 2 })], start + 100);
  expect([now, nextAt]).toEqual([[], start + intervalMs(status({ done: 2 }))]);
  expect(pace.sort([write({ done: 1 }, { done: 1 })], start + 100)).toEqual({ now: [], nextAt: undefined });
});

it('the last state is never later than the interval, and few writes show many changes', () => {
  const changes = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(changes, (gaps) => {
      const pace = new StatusPace();
      let [now, shown, done, writes, nextAt] = [start, 0, 0, 0, Infinity];
      const look = (): void => {
        const paced = pace.sort([write({ done: shown }, { done })], now);
        for (const each of paced.now) {
          if (shown === done) continue;
          pace.wrote(each, now);
          [shown, writes] = [done, writes + 1];
        }
        nextAt = paced.nextAt ?? Infinity;
      };
      for (const gap of gaps) {
        const until = now + gap;
        if (nextAt <= until) {
          now = nextAt;
          look();
        }
        [now, done] = [until, done + 1];
        look();
      }
      const waitMs = shown === done ? 0 : nextAt - now;
      expect(waitMs).toBeLessThanOrEqual(intervalMs(status({ done })));
      now += waitMs;
      look();
      expect(shown).toBe(done);
      expect(writes).toBeLessThanOrEqual(2 + (now - start) / 5_000);
    }),
  );
});

describe('among more objects than are remembered while they are quiet', () => {
  const counts = write({ done: 1 }, { done: 2 });
  const others = Array.from({ length: 1_000 }, (_, index) => named(`other-${index}`, counts));

  it('what was written lately waits for its interval', () => {
    const pace = new StatusPace();
    const own = { ...counts, paceMs: 1_000 };
    pace.wrote(own, start);
    for (const other of others) pace.wrote({ ...other, paceMs: 1_000 }, start);
    expect(pace.sort([own], start + 100).now).toEqual([]);
  });

  it('what is due soon stays due at the moment that was named', () => {
    const pace = after({ done: 1 });
    const { nextAt } = pace.sort([counts], start + 100);
    for (const other of others) pace.wrote(other, start + 200);
    expect(pace.sort([counts], start + 300).nextAt).toBe(nextAt);
  });
});
