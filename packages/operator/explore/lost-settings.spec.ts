import { describe, expect, it } from 'vitest';
import { lostSettingsWorld } from '../simulation/worlds/extended-daemon-set/lost-settings-world.ts';
import { foundIn } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

type Row = Omit<Parameters<typeof lostSettingsWorld>[0], 'name'>;

/** The ten seconds of a setting that somebody deletes pass at a time. */
const small = { nodes: ['a'], promptKubelets: true, tickMs: 11_000 } as const;
const brief = { ...small, lag: 0, spurious: false } as const;
const away = { undefine: 1, define: 1, tick: 1 } as const;
const back = { ...away, 'give back': 1 } as const;
const ended = 'whose setting went with the definition of all settings';
const standStill = ['customresourcedefinitions.apiextensions.k8s.io'];

describe('the definition of ExtendedDaemonsetSettings is deleted, with all settings: pods stay', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'it comes back, and the settings do': { budgets: back, ...small },
    'it does not come back': { budgets: { undefine: 1, tick: 2 }, ...small },
    'the operator dies, or a request fails': { budgets: { ...back, fault: 1 }, ...brief },
    'a successor has an old definition': { budgets: { ...back, 'fail-over': 1 }, standStill, ...brief },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(lostSettingsWorld({ name, ...row }))).toEqual(safe);
  });
});

describe('planted', () => {
  // A definition that is not confirmed is not found here: ten seconds pass before a pod goes, and all watches have gone on by then. What its deletion rests
  // on has a spec of its own (rests-on-overrides.spec.ts).
  type Bug = Exclude<
    NonNullable<Parameters<typeof lostSettingsWorld>[0]['lostBug']>,
    'definition-not-confirmed'
  >;
  const bugs: Readonly<Record<Bug, Row>> = {
    'absent-is-deleted': { budgets: away, ...brief },
    'new-definition-is-the-old': { budgets: away, ...brief },
  };
  it.each(Object.entries(bugs))('%s', (bug, row) => {
    const world = lostSettingsWorld({ name: bug, lostBug: bug as Bug, ...row });
    expect(foundIn(world, ended)).toEqual({ layer: 'E', report: ended, hasStory: true });
  });
});
