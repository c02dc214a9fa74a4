import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject, Resource } from '@atoll/kube';
import type { StatusWrite } from '../controller.ts';
import { intervalMs, mayWriteStatusAt, StatusPace } from './status-pace.ts';

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
}

function status({ ready = 'False', done = 0, generation = 1, filler = '' }: Said): object {
  const message = `${done} of 1000 are done`;
  return {
    observedGeneration: generation,
    done,
    filler,
    conditions: [{ type: 'Ready', status: ready, reason: 'RollingOut', message }],
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

const written = { writtenAt: start, intervalMs: 5_000, turnedAt: [] };

describe('a status may be written', () => {
  const table: readonly (readonly [string, Said | undefined, Said, number, number])[] = [
    ['at once where a condition turns', { ready: 'False' }, { ready: 'True' }, 1, 1],
    ['at once where a generation was seen', { generation: 1 }, { generation: 2 }, 1, 1],
    ['at once where there is none yet', undefined, {}, 1, 1],
    ['at once after a quiet time', { done: 1 }, { done: 2 }, 20_000, 20_000],
    ['an interval after the last while counts move', { done: 1 }, { done: 2 }, 1, 5_000],
  ];
  it.each(table)('%s', (_, from, to, afterMs, dueMs) => {
    expect(mayWriteStatusAt(write(from, to), written, start + afterMs)).toBe(start + dueMs);
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
  ])('as often as the controller wishes, where others rely on the status: %s', (_, from, to) => {
    const pace = new StatusPace();
    const paced = (one: StatusWrite): StatusWrite => ({ ...one, paceMs: 1_000 });
    pace.wrote(paced(write(undefined, from)), start);
    const { now, nextAt } = pace.sort([paced(write(from, to))], start + 100);
    expect([now, nextAt]).toEqual([[], start + intervalMs(status(from), 1_000)]);
    expect(Number(nextAt) - start).toBeLessThan(1_010);
  });

  it('at once where nothing is remembered, as after a restart', () => {
    expect(mayWriteStatusAt(write({ done: 1 }, { done: 2 }), undefined, start)).toBe(start);
  });

  it('at once when the clock was set back', () => {
    expect(mayWriteStatusAt(write({ done: 1 }, { done: 2 }), written, start - 60_000)).toBe(start - 60_000);
  });
});

it('a condition that flaps waits like everything else, and turns at once again after a calm minute', () => {
  const pace = new StatusPace();
  const [up, down] = [
    write({ ready: 'False' }, { ready: 'True' }),
    write({ ready: 'True' }, { ready: 'False' }),
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
  expect(pace.sort([up], now).now).toEqual([up]);
});

it('whoever changes the spec often within a minute sees each change and its end at once', () => {
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

it('many objects that move at once write less often each, and one that moves alone as ever', () => {
  const counts = write({ done: 1 }, { done: 2 });
  const crowded = mayWriteStatusAt(counts, written, start + 100, { ofMinute: 100, ofTenSeconds: 0 });
  expect(crowded).toBe(start + 20_000);
  const alone = mayWriteStatusAt(counts, written, start + 100, { ofMinute: 12, ofTenSeconds: 200 });
  expect(alone).toBe(start + written.intervalMs);
  const turned = write({ ready: 'False' }, { ready: 'True' });
  expect(mayWriteStatusAt(turned, written, start + 100, { ofMinute: 400, ofTenSeconds: 200 })).toBe(
    start + 100,
  );
});

describe('among many, that a new spec was seen', () => {
  const seen = write({ generation: 1 }, { generation: 2 });
  const began = write(undefined, {});
  const amid = (ofTenSeconds: number) => ({ ofMinute: 0, ofTenSeconds });

  it.each([seen, began])('waits the longer the more there are, with or without a history', (wanted) => {
    for (const history of [written, undefined]) {
      expect(mayWriteStatusAt(wanted, history, start, amid(3))).toBe(start + 450);
      expect(mayWriteStatusAt(wanted, history, start, amid(10))).toBe(start + 5_000);
      expect(mayWriteStatusAt(wanted, history, start, amid(1_000))).toBe(start + 60_000);
    }
  });

  it('waits for those that wait and those that have just written, and not for a crowd that is over', () => {
    const pace = new StatusPace();
    const dueAfter = (name: string, now: number): number =>
      (pace.sort([named(name, seen)], now).nextAt ?? now) - now;
    for (let index = 0; index < 20; index += 1) pace.wrote(named(`first-${index}`, seen), start);
    expect([dueAfter('a', start), dueAfter('b', start)]).toEqual([20_000, 22_050]);
    expect(dueAfter('c', start + 11_000)).toBe(200);
    expect(dueAfter('d', start + 40_000)).toBe(0);
  });

  it('is due when it was said to be first, however many come after it and whatever the clock does', () => {
    const pace = new StatusPace();
    const wait = (name: string, now: number) => pace.sort([named(name, seen)], now).nextAt;
    for (let index = 0; index < 20; index += 1) pace.wrote(named(`first-${index}`, seen), start);
    expect(wait('web', start)).toBe(start + 20_000);
    for (let index = 0; index < 20; index += 1) pace.wrote(named(`later-${index}`, seen), start + 1_000);
    expect(wait('web', start + 2_000)).toBe(start + 20_000);
    expect(wait('late', start + 2_000)).toBe(start + 2_000 + 60_000);
    expect(pace.sort([named('web', seen)], start + 20_000).now).toHaveLength(1);
    expect(pace.sort([named('late', seen)], start - 60_000).now).toHaveLength(1);
  });

  it('waits no longer where it is no longer wanted', () => {
    const pace = new StatusPace();
    for (let index = 0; index < 20; index += 1) pace.wrote(named(`first-${index}`, seen), start);
    expect(pace.sort([named('web', seen)], start).nextAt).toBe(start + 20_000);
    const same = named('web', write({ generation: 2 }, { generation: 2 }));
    expect(pace.sort([same], start + 1_000)).toEqual({ now: [], nextAt: undefined });
    expect(pace.sort([named('web', seen)], start + 5_000).nextAt).toBe(start + 25_000);
  });

  it('goes at once with its end, with trouble, and where it is urgent', () => {
    const done = write(undefined, { ready: 'True' });
    const conditions = [{ type: 'Degraded', status: 'True', reason: 'ChildRefused', message: 'no' }];
    const degraded = { ...began, status: { observedGeneration: 1, conditions } };
    const urgent = { ...seen, urgent: true };
    for (const each of [done, degraded, urgent]) {
      expect(mayWriteStatusAt(each, undefined, start, amid(400))).toBe(start);
    }
  });

  it('becomes one write with what became of it', () => {
    const pace = new StatusPace();
    let now = start;
    const sent = new Map<string, number[]>();
    const pass = (name: string, ready: string): void => {
      const one = named(name, write(undefined, { ready }));
      if (pace.sort([one], now).now.length === 0) return;
      pace.wrote(one, now);
      sent.set(name, [...(sent.get(name) ?? []), now]);
    };
    const names = Array.from({ length: 200 }, (_, index) => `web-${index}`);
    for (const name of names) {
      pass(name, 'False');
      now += 50;
    }
    for (const name of names) pass(name, 'True');
    const all = [...sent.values()];
    expect(all.length).toBe(names.length);
    expect(all.filter((each) => each.length === 1).length).toBeGreaterThan(180);
    expect(all.every((each) => each.at(-1) === now)).toBe(true);
  });
});

it('what the controller calls urgent goes at once', () => {
  const urgent = { ...write({ done: 1 }, { done: 2 }), urgent: true };
  expect(mayWriteStatusAt(urgent, written, start + 100)).toBe(start + 100);
});

it('says when to look again, and nothing where the status is as it should be', () => {
  const pace = new StatusPace();
  pace.wrote(write(undefined, { done: 1 }), start);
  const { now, nextAt } = pace.sort([write({ done: 1 }, { done: 2 })], start + 100);
  expect([now, nextAt]).toEqual([[], start + intervalMs(status({ done: 2 }))]);
  expect(pace.sort([write({ done: 1 }, { done: 1 })], start + 100)).toEqual({ now: [], nextAt: undefined });
});

describe('how long counts are held back is known before anybody looks', () => {
  const counts = write({ done: 1 }, { done: 2 });
  const heldBack = (pace: StatusPace, at: number): number => pace.heldBackMs('edge/web', at);

  it('not at all, where nothing was written or it is long ago', () => {
    const pace = new StatusPace();
    expect(heldBack(pace, start)).toBe(0);
    pace.wrote(counts, start);
    expect(heldBack(pace, start + 20_000)).toBe(0);
  });

  it.each([0, 10, 50, 1_000])('until they would be written beside %d others', (others) => {
    const pace = new StatusPace();
    pace.wrote(counts, start);
    for (let index = 0; index < others; index += 1) pace.wrote(named(`other-${index}`, counts), start);
    const held = heldBack(pace, start + 100);
    expect(pace.sort([counts], start + 100).nextAt).toBe(start + 100 + held);
    expect(heldBack(pace, start + 200)).toBe(held - 100);
  });

  it('beside nobody where the status has a pace of its own', () => {
    const pace = new StatusPace();
    pace.wrote({ ...counts, paceMs: 1_000 }, start);
    for (let index = 0; index < 50; index += 1) pace.wrote(named(`other-${index}`, counts), start);
    expect(heldBack(pace, start + 100)).toBe(intervalMs(counts.status, 1_000) - 100);
  });
});

it('the last state is never later than the interval, and few writes tell of many changes', () => {
  const changes = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(changes, (gaps) => {
      const pace = new StatusPace();
      let [now, shown, done, writes, nextAt] = [start, 0, 0, 0, Infinity];
      const pass = (): void => {
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
          pass();
        }
        [now, done] = [until, done + 1];
        pass();
      }
      const waitMs = shown === done ? 0 : nextAt - now;
      expect(waitMs).toBeLessThanOrEqual(intervalMs(status({ done })));
      now += waitMs;
      pass();
      expect(shown).toBe(done);
      expect(writes).toBeLessThanOrEqual(2 + (now - start) / 5_000);
    }),
  );
});
