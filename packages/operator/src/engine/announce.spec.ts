import { ApiError, deployments, pods, silentLogger, type Logger } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { expect, test } from 'vitest';
import { Announcer } from './announce.ts';
import { noMetrics } from './engine.fixture.ts';
import { hold, type Hold } from './hold.ts';
import type { Step, StepResult } from './step.ts';

const about = {
  controller: 'yurt-app-daemon',
  key: 'ns/web',
  subject: { apiVersion: 'v1', kind: 'Web', namespace: 'ns', name: 'web', uid: 'u' },
};

function made(pool: string): StepResult {
  const step: Step = {
    do: 'create',
    resource: deployments,
    object: { metadata: { namespace: 'ns', name: `web-${pool}` } },
    managed: 'apply',
    target: pool,
    why: { word: 'ChildCreated', message: `pool ${pool} is selected and has no Deployment` },
  };
  return { step, did: 'done' };
}

test('what is done for one reason is one line of the log and one count, also for a thousand children', () => {
  const lines: unknown[] = [];
  const counts: unknown[] = [];
  const log: Logger = { ...silentLogger, info: (...line: unknown[]) => void lines.push(line) };
  const announcer = new Announcer({
    log,
    metrics: { ...noMetrics, steps: (...count) => void counts.push(count) },
    recordEvent: () => undefined,
  });
  const pools = Array.from({ length: 1_000 }, (_, index) => `p${index}`);
  const skipped = { ...made('late'), did: 'skipped', because: 'stopping' } as const;
  announcer.outcome(about, { results: [...pools.map(made), skipped] });
  expect(lines).toEqual([
    [
      {
        controller: 'yurt-app-daemon',
        key: 'ns/web',
        step: 'create',
        reason: 'ChildCreated',
        count: 1_000,
        targets: pools.slice(0, 10),
        why: 'pool p0 is selected and has no Deployment',
      },
      'steps done',
    ],
  ]);
  expect(counts).toEqual([
    ['yurt-app-daemon', 'create', 'ChildCreated', 'done', 1_000],
    ['yurt-app-daemon', 'create', 'ChildCreated', 'stopping', 1],
  ]);
});

test('what is refused because the namespace is being deleted is no warning and no event, and counts as failed', () => {
  const lines: unknown[] = [];
  const line = (level: string) => (_: unknown, message: string) => void lines.push([level, message]);
  const log: Logger = { ...silentLogger, debug: line('debug'), info: line('info'), warn: line('warn') };
  const events: unknown[] = [];
  const counts: unknown[] = [];
  const announcer = new Announcer({
    log,
    metrics: { ...noMetrics, steps: (...count) => void counts.push(count.slice(2)) },
    recordEvent: (event) => void events.push(event.note),
  });
  const refused = (pool: string, causes: readonly { readonly reason: string }[]): StepResult => {
    const error = new ApiError({
      fate: 'refused',
      code: 403,
      reason: 'Forbidden',
      attempted: 'create deployments.apps',
      message: `no ${pool}`,
      status: { details: { causes } },
    });
    return { step: made(pool).step, did: 'failed', error };
  };
  announcer.outcome(about, {
    results: [refused('a', [{ reason: 'NamespaceTerminating' }]), refused('b', [])],
  });
  expect(lines).toEqual([
    ['debug', 'step failed'],
    ['warn', 'step failed'],
  ]);
  expect(events).toEqual(['create deployments.apps: no b']);
  expect(counts).toEqual([['ChildCreated', 'failed', 2]]);
});

test('a trial that is refused is recorded once, also where others are tried between, and again after it was taken', () => {
  const recorded: string[] = [];
  const announcer = new Announcer({
    log: silentLogger,
    metrics: noMetrics,
    recordEvent: ({ note }) => void recorded.push(note ?? ''),
  });
  const tried = (name: string, isTaken = false, on = name): StepResult => {
    const why = { word: 'PodTried', message: 'before a pod is deleted' } as const;
    const step: Step = {
      do: 'try',
      resource: pods,
      object: { metadata: { namespace: 'ns', name: on } },
      trial: name,
      target: on,
      why,
    };
    const refused = { fate: 'refused', code: 403, reason: 'Forbidden', attempted: 'create pods' } as const;
    if (isTaken) return { step, did: 'done' };
    return { step, did: 'failed', error: new ApiError({ ...refused, message: `${name} is too large` }) };
  };
  const rounds = [[tried('a'), tried('b')], [tried('a')], [tried('b')], [tried('a')]];
  for (const results of rounds) announcer.outcome(about, { results });
  expect(recorded).toEqual(['create pods: a is too large', 'create pods: b is too large']);
  for (const results of [[tried('b', true)], [tried('a')], [tried('b')]])
    announcer.outcome(about, { results });
  expect(recorded.slice(2)).toEqual(['create pods: b is too large']);
  // It was taken for another node, and all pods of a trial are alike.
  for (const results of [[tried('b', true, 'c')], [tried('a')], [tried('b')]])
    announcer.outcome(about, { results });
  expect(recorded.slice(3)).toEqual(['create pods: b is too large']);
  // A plan that tries nothing depends on none of them.
  for (const results of [[made('c')], [tried('a')]]) announcer.outcome(about, { results });
  expect(recorded.slice(4)).toEqual(['create pods: a is too large']);
  // But on those that it names.
  announcer.outcome(about, { results: [made('c')] }, ['a']);
  announcer.outcome(about, { results: [tried('a')] });
  expect(recorded.slice(5)).toEqual([]);
});

test('a hold of objects that the plan is not for is recorded on each of them once, and each is counted', () => {
  const events: unknown[] = [];
  const counts: unknown[] = [];
  const announcer = new Announcer({
    log: silentLogger,
    metrics: { ...noMetrics, holds: (...count) => void counts.push(count) },
    recordEvent: (event) => void events.push([event.regarding.name, event.reason, event.note]),
  });
  const heldNodes = (...names: string[]): readonly Hold[] => [
    {
      ...hold('PoolNotFound', 'person', names, { problem: 'create it' }, false),
      regarding: names.map((name) => ({ apiVersion: 'v1', kind: 'Node', name, uid: `uid-${name}` })),
    },
  ];
  announcer.holds(about, heldNodes('n1'));
  announcer.holds(about, heldNodes('n1', 'n2'));
  announcer.holds(about, heldNodes('n1', 'n2'));
  announcer.holds(about, heldNodes('n2'));
  announcer.holds({ ...about, key: 'other' }, heldNodes('n3'));
  announcer.forget(about);
  expect(events).toEqual([
    ['n1', 'PoolNotFound', 'create it'],
    ['n2', 'PoolNotFound', 'create it'],
    ['n3', 'PoolNotFound', 'create it'],
  ]);
  expect(counts).toEqual([1, 2, 1, 2, 1].map((objects) => ['yurt-app-daemon', 'PoolNotFound', objects]));
});

test('a hold of the object itself is recorded when it appears, and counted as one', () => {
  const events: unknown[] = [];
  const counts: unknown[] = [];
  const announcer = new Announcer({
    log: silentLogger,
    metrics: { ...noMetrics, holds: (...count) => void counts.push(count) },
    recordEvent: ({ regarding, reason, note }) => void events.push([regarding.name, reason, note]),
  });
  const paused = [hold('Paused', 'person', ['a', 'b'], { problem: 'it is paused' }, false)];
  for (const holds of [paused, paused, [], paused]) announcer.holds(about, holds);
  expect(events).toEqual([
    ['web', 'Paused', 'a, b: it is paused'],
    ['web', 'Paused', 'a, b: it is paused'],
  ]);
  expect(counts.map((count) => (count as unknown[])[2])).toEqual([1, 0, 1]);
});

test('a hold that every rollout passes through is counted, and neither an event nor a line of the log', () => {
  const announced: unknown[] = [];
  const counts: unknown[] = [];
  const announcer = new Announcer({
    log: { ...silentLogger, info: (fields) => void announced.push(fields) },
    metrics: { ...noMetrics, holds: (...count) => void counts.push(count) },
    recordEvent: (event) => void announced.push(event),
  });
  const waits = hold('WaitingForReady', 'health', ['a'], { waitingUntil: 'the pods are available' }, false);
  const passing: Hold = { ...waits, passing: true };
  for (const holds of [[passing], [passing], []]) announcer.holds(about, holds);
  expect(announced).toEqual([]);
  expect(counts.map((count) => (count as unknown[])[2])).toEqual([1, 0]);
});

test('what holds an object, and what fails for it, is recorded again for one that is made anew under its name', () => {
  const events: unknown[] = [];
  const announcer = new Announcer({
    log: silentLogger,
    metrics: noMetrics,
    recordEvent: ({ regarding: { uid }, reason }) => void events.push([uid, reason]),
  });
  const paused = [hold('Paused', 'person', ['a'], { problem: 'it is paused' }, false)];
  const attempted = 'create deployments';
  const error = refusalOf(403, attempted, 'quota');
  for (const uid of ['u', 'u', 'v', 'v']) {
    const anew = { ...about, subject: { ...about.subject, uid } };
    announcer.outcome(anew, { results: [{ step: made('a').step, did: 'failed', error }] });
    announcer.holds(anew, paused);
  }
  const once = (uid: string): unknown[] => [
    [uid, 'ChildRefused'],
    [uid, 'Paused'],
  ];
  expect(events).toEqual([...once('u'), ...once('v')]);
});
