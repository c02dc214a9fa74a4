import { describe, expect, it } from 'vitest';
import { atRest } from '../simulation/story.ts';
import { optionalKindWorld } from '../simulation/worlds/united-deployment/united-deployment-optional-kind-world.ts';
import type { OptionalKindWorldOptions } from '../simulation/worlds/united-deployment/united-deployment-optional-kind-world.ts';
import { foundIn, type Found } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

type Row = Omit<OptionalKindWorldOptions, 'name'>;
const brief = { lag: 0, spurious: false } as const;

describe('UnitedDeployment of a kind that comes and goes: nothing is deleted or forgotten because it cannot be seen', () => {
  it('its definition comes', () => {
    const row = { missing: true, budgets: { define: 1 } };
    expect(verdictOn(optionalKindWorld({ name: 'comes', ...row }))).toEqual(safe);
  });

  const worlds: Readonly<Record<string, Row>> = {
    'its definition is deleted, and takes the objects along': { budgets: { undefine: 1 } },
    'its definition is deleted, and comes back': { budgets: { undefine: 1, define: 1 }, spurious: false },
    'its version is not served for a while': { budgets: { serve: 2 } },
    'its version is not served for a while, and the total changes': {
      budgets: { serve: 2, scale: 1 },
      spurious: false,
    },
    'its version is not served for a while, and a request fails in any way or the operator dies': {
      budgets: { serve: 2, fault: 1 },
      spurious: false,
    },
    'its version is not served any more when the template becomes one of another kind': {
      budgets: { serve: 1, kind: 1 },
      ...brief,
    },
    'the template becomes one of this kind before its definition comes': {
      kind: 'Deployment',
      missing: true,
      budgets: { 'to CloneSets': 1, define: 1 },
      ...brief,
    },
    'the template becomes one of this kind while its version is not served': {
      kind: 'Deployment',
      budgets: { 'to CloneSets': 1, serve: 1 },
      spurious: false,
    },
  };
  it.each(Object.entries(worlds))('from rest: %s', (name, row) => {
    expect(verdictOn(atRest(optionalKindWorld({ name, ...row })))).toEqual(safe);
  });

  const bugs: Readonly<Record<string, Row & Found>> = {
    'what is not served is empty': {
      optionalBug: 'unserved-is-empty',
      missing: true,
      budgets: {},
      layer: 'L',
      report: 'the server could not find the requested resource',
    },
    'c1 what has not been read is empty': {
      optionalBug: 'unread-is-empty',
      fromRest: true,
      budgets: { serve: 2 },
      layer: 'E',
      report: 'the status reports that web-a-wz4r64l5 is not there',
    },
    'what is not of the wanted kind goes': {
      optionalBug: 'other-kinds-go',
      fromRest: true,
      kind: 'Deployment',
      missing: true,
      budgets: { 'to CloneSets': 1 },
      layer: 'E',
      report: 'the last child of subset a is deleted, which the spec names',
    },
    'no key is enqueued when a kind comes': {
      engineBug: 'presence-not-announced',
      missing: true,
      budgets: { define: 1 },
      layer: 'L',
      report: 'subsets a want children; there are none',
    },
  };
  it.each(Object.entries(bugs))('planted: %s', (name, { layer, report, fromRest, ...row }) => {
    const found = foundIn(optionalKindWorld({ name, ...row }), report, fromRest);
    expect(found).toEqual({ layer, report, hasStory: true });
  });
});
