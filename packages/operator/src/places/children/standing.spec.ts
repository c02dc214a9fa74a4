import { describe, expect, it } from 'vitest';
import { refusalOf } from '@atoll/kube/testing';
import type { Failure } from '../../engine/problems/failures.ts';
import { hold } from '../../engine/hold.ts';
import { standingOfPlaces, standingUndecided, type Places } from './standing.ts';

function places(change: Partial<Places> = {}): Places {
  return {
    called: 'pools',
    count: 4,
    open: [],
    toDelete: [],
    pendingDeletion: 0,
    done: () => ({ reason: 'RolloutComplete', message: 'all is well' }),
    ...change,
  };
}

function failureAt(target: string | undefined): Failure {
  const error = refusalOf(403, '', '');
  return { target, error, reason: 'ChildRefused', stalls: 'if-it-lasts' };
}

const healthy = hold('WaitingForReady', 'health', ['a'], { waitingUntil: 'the pods are available' }, false);
const broken = hold('WaitingForReady', 'health', ['a'], { problem: 'the image cannot be pulled' }, true);
const kept = hold('OldRenderingKept', 'person', ['a'], { waitingUntil: 'the template changes' }, false);
const left = hold('OrphanLeft', 'person', ['b'], { problem: 'the Deployment x has no owner' }, false);
const unknown = hold('UnknownChild', 'person', ['y'], { problem: 'the Deployment y names no pool' }, false);
const notServed = hold('KindNotServed', 'person', [], { problem: 'the kind is not installed' }, true);

describe('an object of whose children nothing was decided', () => {
  it('stands as its first hold, or was not looked at', () => {
    expect(standingUndecided(true, [notServed, healthy], undefined)).toMatchObject({
      observed: true,
      done: false,
      moving: false,
      reason: 'KindNotServed',
      message: 'the kind is not installed',
    });
    expect(standingUndecided(false, [], undefined)).toMatchObject({
      observed: false,
      reason: 'NotYetObserved',
      message: 'waiting until the operator has reconciled this object',
    });
  });
});

describe('an object with children', () => {
  it('is done when no place is open and no child is to go or waited for', () => {
    expect(standingOfPlaces(places(), [], [], undefined)).toMatchObject({
      observed: true,
      done: true,
      moving: false,
      reason: 'RolloutComplete',
      message: 'all is well',
    });
    for (const change of [
      { open: ['a'] },
      { toDelete: ['a'] },
      { toDelete: [undefined] },
      { pendingDeletion: 1 },
    ]) {
      expect(standingOfPlaces(places(change), [], [], undefined)).toMatchObject({
        done: false,
        moving: true,
      });
    }
  });

  it.each([
    {
      title: 'names what is awaited',
      places: places({ open: ['b', 'a'] }),
      holds: [healthy],
      reason: 'WaitingForReady',
      message: '2 of 4 pools are updated and available; a: waiting until the pods are available',
    },
    {
      title: 'reports that only deletions are left',
      places: places({ called: 'subsets', toDelete: ['a'] }),
      holds: [],
      reason: 'RollingOut',
      message:
        '4 of 4 subsets are updated and available; children that are not needed any more are being deleted',
    },
    {
      title: 'waits neither for what is wrong nor for what stays as it is',
      places: places({ open: ['a'] }),
      holds: [broken, kept],
      reason: 'RollingOut',
      message: '3 of 4 pools are updated and available; not yet a',
    },
    {
      title: 'waits for no child that is left as it is, and names the place that is open',
      places: places({ open: ['a'] }),
      holds: [left, unknown],
      reason: 'RollingOut',
      message: '3 of 4 pools are updated and available; not yet a',
    },
  ])('$title', ({ places: given, holds, reason, message }) => {
    expect(standingOfPlaces(given, holds, [], undefined)).toMatchObject({ done: false, reason, message });
  });

  it.each([
    { title: 'a place without trouble', open: ['a', 'b'], holds: [broken], failures: [], moving: true },
    { title: 'none but a place in trouble', open: ['a'], holds: [broken], failures: [], moving: false },
    {
      title: 'none but a place that is waited for',
      open: ['a'],
      holds: [healthy],
      failures: [],
      moving: true,
    },
    { title: 'none but a failed place', open: ['a'], holds: [], failures: [failureAt('a')], moving: false },
    {
      title: 'a place beside a failed one',
      open: ['a', 'b'],
      holds: [],
      failures: [failureAt('a')],
      moving: true,
    },
    {
      title: 'all, of a kind that is not there',
      open: ['a', 'b'],
      holds: [notServed],
      failures: [],
      moving: false,
    },
  ])('moves or not while open is $title', ({ open, holds, failures, moving }) => {
    expect(standingOfPlaces(places({ open }), holds, failures, undefined).moving).toBe(moving);
  });

  it.each([
    { title: 'none but places that wait for a failed step', blocked: ['a', 'b'], moving: false },
    { title: 'also a place that does not wait for it', blocked: ['a'], moving: true },
  ])('moves or not while open is $title', ({ blocked, moving }) => {
    const given = places({ open: ['a', 'b'], blocked });
    expect(standingOfPlaces(given, [], [failureAt(undefined)], undefined).moving).toBe(moving);
  });

  it('rests where somebody paused all that is left, also beyond the fifty that a hold names', () => {
    const open = Array.from({ length: 80 }, (_, i) => `p${i}`).toSorted();
    const paused = hold('Paused', 'person', open, { problem: 'it is paused' }, false);
    const all = standingOfPlaces(places({ count: 80, open }), [paused], [], undefined);
    expect(all).toMatchObject({ moving: false, reason: 'Paused' });
    const more = standingOfPlaces(places({ count: 81, open: [...open, 'x'] }), [paused], [], undefined);
    expect(more.moving).toBe(true);
  });

  it.each([
    {
      title: 'not while the place that a child waits for is in trouble',
      open: ['a'],
      holds: [broken],
      moving: false,
    },
    { title: 'while another place is not', open: ['a', 'b'], holds: [broken], moving: true },
    { title: 'while nothing is wrong with it', open: ['a'], holds: [healthy], moving: true },
    { title: 'not while its kind is not there', open: ['a'], holds: [notServed], moving: false },
    { title: 'once nothing is open', open: [], holds: [], moving: true },
  ])('moves $title', ({ open, holds, moving }) => {
    const waiting = places({ open, pendingDeletion: 1 });
    expect(standingOfPlaces(waiting, holds, [], undefined).moving).toBe(moving);
  });
});
