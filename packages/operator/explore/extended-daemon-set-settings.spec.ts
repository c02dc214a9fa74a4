import { describe, expect, it } from 'vitest';
import { extendedDaemonSetWorld } from '../simulation/worlds/extended-daemon-set/extended-daemon-set-world.ts';
import type { ExtendedDaemonSetWorldOptions } from '../simulation/worlds/extended-daemon-set/extended-daemon-set-world.ts';
import { foundIn } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

type Row = Omit<ExtendedDaemonSetWorldOptions, 'name'>;
/** All pods were made with a setting. Seconds pass before its ten are over, and a restarted operator sees all that is there. */
const made = {
  nodes: ['a'],
  overridden: '1',
  tickMs: 4_000,
  standStill: [],
  promptKubelets: true,
  lag: 0,
  spurious: false,
} as const;

/** Each of two nodes has a setting of its own. More than half of the ten seconds passes at a time. */
const each = { ...made, nodes: ['a', 'b'], takenBack: [], tickMs: 6_000 } as const;

describe('settings that go, and perhaps come back: no pod ends before ten seconds, and all end as desired', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'once, while the operator restarts': {
      budgets: { 'take back': 1, 'give back': 1, tick: 1, 'fail-over': 1 },
      ...made,
    },
    'and goes again': { budgets: { 'take back': 2, 'give back': 1, tick: 1 }, ...made },
    'one after the other': { budgets: { 'take back': 2, tick: 1 }, ...each },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(extendedDaemonSetWorld({ name, ...row }))).toEqual(safe);
  });
});

describe('planted bugs of settings that go: each is found', () => {
  interface Planted extends Row {
    readonly layer: string;
    readonly report: string;
  }
  const bugs: Readonly<Record<string, Planted>> = {
    'they are not waited for': {
      bug: 'gone-not-awaited',
      budgets: { 'take back': 1 },
      layer: 'E',
      report: 'was deleted, and its setting has been gone for 0 s',
      ...made,
    },
    'they are waited for without end': {
      bug: 'gone-for-ever',
      budgets: { 'take back': 1 },
      layer: 'L',
      report: 'a has a pod with other resources',
      ...made,
    },
    'each reconcile begins to wait anew': {
      bug: 'gone-anew',
      // It would wait without end.
      budgets: { 'take back': 1, time: 3 },
      layer: 'L',
      report: 'a has a pod with other resources',
      ...made,
    },
    'the time of before it came back counts on': {
      bug: 'gone-before-it-came-back',
      budgets: { 'take back': 2, 'give back': 1, tick: 1 },
      layer: 'E',
      report: 'was deleted, and its setting has been gone for 6 s',
      ...made,
    },
    'they are noted as gone when they are back': {
      bug: 'gone-though-it-is-back',
      budgets: { 'take back': 1, 'give back': 1 },
      layer: 'P',
      report: 'a replica set shows that setting small is gone, which is there',
      ...made,
    },
    'one that goes later has the time of the first': {
      bug: 'gone-with-the-first',
      budgets: { 'take back': 2, tick: 1 },
      layer: 'E',
      report: 'was deleted, and its setting has been gone for 0 s',
      ...each,
    },
    'one that is back stays noted while another is gone, so that its time counts on': {
      bug: 'gone-before-this-one-came-back',
      budgets: { 'take back': 1, 'give back': 1 },
      layer: 'P',
      report: 'a replica set shows that setting small-b is gone, which is there',
      ...each,
      takenBack: ['a'],
    },
  };
  it.each(Object.entries(bugs))('%s', (name, { layer, report, ...row }) => {
    expect(foundIn(extendedDaemonSetWorld({ name, ...row }), report)).toMatchObject({ layer, report });
  });
});
