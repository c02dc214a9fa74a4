import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InFlight, mostRequests, type RequestClass, type Requester } from './in-flight.ts';

type Request = Requester & RequestClass;

const base: Request = {
  controller: 'daemon',
  key: 'default/web',
  resource: 'pods',
  namespace: 'default',
};

/** Requests that are answered when the test says so. */
function rig(limit?: number) {
  const inFlight = new InFlight(limit === undefined ? {} : { limit });
  const started: Request[] = [];
  const open = new Map<() => void, Request>();
  const begin = (given: Partial<Request> = {}): Request => {
    const request = { ...base, ...given };
    inFlight.enter(request, request, (leave) => {
      started.push(request);
      open.set(leave, request);
    });
    return request;
  };
  const answer = (which: (request: Request) => boolean = () => true): void => {
    const found = [...open].find(([, request]) => which(request));
    if (found === undefined) throw new Error('nothing is under way');
    open.delete(found[0]);
    found[0]();
  };
  const count = (which: Partial<Request>): number => {
    const wanted = Object.entries(which);
    return [...open.values()].filter((each) =>
      wanted.every(([name, value]) => each[name as keyof Request] === value),
    ).length;
  };
  return { started, open, begin, answer, count };
}

it('runs no more than the bound at once, in the order of arrival', () => {
  const { begin, answer, started, open } = rig(2);
  const begun = Array.from({ length: 10 }, () => begin());
  for (let each = 0; each < 10; each += 1) {
    expect(open.size).toBe(Math.min(2, 10 - each));
    answer();
  }
  expect(started).toEqual(begun);
});

it('takes any number of waiting requests that leave as soon as they enter, as those of a leader that may not write now', () => {
  const inFlight = new InFlight({ limit: 1 });
  const held: (() => void)[] = [];
  inFlight.enter(base, base, (leave) => held.push(leave));
  let entered = 0;
  for (let each = 0; each < 4_000; each += 1) {
    inFlight.enter({ ...base, key: `default/${each}` }, base, (leave) => {
      entered += 1;
      leave();
    });
  }
  for (const leave of held) leave();
  expect(entered).toBe(4_000);
});

it('refuses a bound that would run nothing', () => {
  expect(() => new InFlight({ limit: 0 })).toThrow('a bound of 0 requests in flight');
});

it("sends another key's single request before a second one of a key with five thousand", () => {
  const { begin, answer, started } = rig();
  for (let each = 0; each < 5_000; each += 1) begin({ key: 'default/large' });
  begin({ key: 'default/small' });
  answer();
  answer();
  // At most one batch of the large one was sent before, and one more while the small one waited for its turn.
  expect(started.findIndex(({ key }) => key === 'default/small')).toBeLessThanOrEqual(17);
});

it('takes keys in turn', () => {
  const { begin, answer, started } = rig(1);
  for (const key of ['a', 'a', 'a', 'b', 'b', 'c']) begin({ key });
  for (let each = 0; each < 6; each += 1) answer();
  expect(started.map(({ key }) => key)).toEqual(['a', 'a', 'b', 'c', 'a', 'b']);
});

describe('what is slow', () => {
  const many = 500;

  it('in one namespace leaves room for the same resource in others', () => {
    const { begin, count } = rig();
    for (let each = 0; each < many; each += 1) begin({ key: `slow/${each}`, namespace: 'slow' });
    begin({ key: 'quick/web', namespace: 'quick' });
    expect([count({ namespace: 'slow' }), count({ namespace: 'quick' })]).toEqual([16, 1]);
  });

  it('for one resource in all namespaces leaves room for other resources', () => {
    const { begin, count } = rig();
    for (let each = 0; each < many; each += 1) begin({ key: `n${each}/web`, namespace: `n${each}` });
    begin({ resource: 'controllerrevisions' });
    expect([count({ resource: 'pods' }), count({ resource: 'controllerrevisions' })]).toEqual([32, 1]);
  });

  it('for one controller leaves room for others', () => {
    const { begin, count } = rig();
    for (let each = 0; each < many; each += 1) begin({ resource: `r${each}`, namespace: `n${each}` });
    begin({ controller: 'node-pool', resource: 'nodes', namespace: undefined });
    expect([count({ controller: 'daemon' }), count({ controller: 'node-pool' })]).toEqual([48, 1]);
  });

  it('altogether is bounded', () => {
    const { begin, open } = rig();
    for (let each = 0; each < many; each += 1) begin({ controller: `c${each}`, resource: `r${each}` });
    expect(open.size).toBe(mostRequests);
  });
});

it('keeps every bound, serves the lines that may go in turn, and leaves nobody behind', () => {
  const of = (name: string, count: number) =>
    fc.integer({ min: 1, max: count }).map((number) => `${name}-${number}`);
  const request = fc.record({
    controller: of('controller', 2),
    key: of('key', 2),
    resource: of('resource', 3),
    namespace: of('namespace', 3),
  });
  const event = fc.oneof(
    { weight: 2, arbitrary: fc.record({ begin: request }) },
    fc.record({ answer: fc.nat({ max: 20 }) }),
  );
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 80, size: 'max' }),
      fc.integer({ min: 1, max: 2 }),
      (events, limit) => {
        const { begin, answer, started, open, count } = rig(limit);
        const begun: Request[] = [];
        const waiting = (): readonly Request[] => {
          const left = [...begun];
          for (const each of started) left.splice(left.indexOf(each), 1);
          return left;
        };
        const holds = (): void => {
          expect(open.size).toBeLessThanOrEqual(4 * limit);
          for (const { controller, resource, namespace } of open.values()) {
            expect(count({ controller })).toBeLessThanOrEqual(3 * limit);
            expect(count({ resource })).toBeLessThanOrEqual(2 * limit);
            expect(count({ resource, namespace })).toBeLessThanOrEqual(limit);
          }
          for (const { controller, resource, namespace } of waiting()) {
            const mayGo =
              open.size < 4 * limit &&
              count({ controller }) < 3 * limit &&
              count({ resource }) < 2 * limit &&
              count({ resource, namespace }) < limit;
            expect(mayGo).toBe(false);
          }
        };
        for (const each of events) {
          if ('begin' in each) {
            begun.push(begin(each.begin));
          } else if (open.size > 0) {
            const chosen = [...open.values()][each.answer % open.size];
            answer((request) => request === chosen);
          }
          holds();
        }
        while (open.size > 0) {
          answer();
          holds();
        }
        expect(started.length).toBe(begun.length);
      },
    ),
  );
});
