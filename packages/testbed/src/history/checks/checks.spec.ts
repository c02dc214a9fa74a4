import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../audit-entry.ts';
import type { History } from '../history.ts';
import { joinHistory } from '../join-history.ts';
import type { RecordedEvent } from '../recorded-event.ts';
import { sampleEntry, sampleEvent, sampleGap, startOfDay } from '../sample-evidence.ts';
import { atMostOneLiveChild } from './at-most-one-live-child.ts';
import { countWrites } from './count-writes.ts';
import { deletesCarryUid } from './deletes-carry-uid.ts';
import { noWastedWrites } from './no-wasted-writes.ts';
import { silentSince } from './silent-since.ts';
import { touchesOnlyOwn } from './touches-only-own.ts';
import { checkHistory } from './violation.ts';
import type { Check } from './violation.ts';

function history(audit: readonly AuditEntry[], events: readonly RecordedEvent[] = []): History {
  return joinHistory({ audit, events, gaps: [] });
}

interface Case {
  readonly check: Check;
  readonly good: Readonly<Record<string, History>>;
  readonly bad: Readonly<Record<string, History>>;
}

const child = atMostOneLiveChild({ resources: ['deployments.apps', 'statefulsets.apps'], place: 'pool' });
const first = sampleEvent('ADDED', { uid: 'a', version: 10 });
const duplicate = sampleEvent('ADDED', { uid: 'b', version: 20 });
const createdA = sampleEntry({ child: { uid: 'a', version: 10 } });

const cases: Readonly<Record<string, Case>> = {
  'at most one live child': {
    check: child,
    good: {
      'another pool': history([], [first, sampleEvent('ADDED', { uid: 'b', version: 20, pool: 'shanghai' })]),
      'another owner': history(
        [],
        [first, sampleEvent('ADDED', { uid: 'b', version: 20, owner: 'owner-2' })],
      ),
      'the first is gone': history([], [first, sampleEvent('DELETED', { uid: 'a', version: 15 }), duplicate]),
      'the first is going': history(
        [],
        [first, sampleEvent('MODIFIED', { uid: 'a', version: 15, deleting: true }), duplicate],
      ),
      'another resource that does not count': history([], [first, { ...duplicate, resource: 'pods' }]),
    },
    bad: {
      'a duplicate': history([], [first, duplicate]),
      'a duplicate that arrived in the recorder first': history([], [duplicate, first]),
      'a duplicate from the start': history(
        [],
        [
          { ...first, initial: true },
          { ...duplicate, initial: true },
        ],
      ),
      'a duplicate of another kind': history([], [first, { ...duplicate, resource: 'statefulsets.apps' }]),
      'a duplicate for a moment only': history(
        [],
        [first, duplicate, sampleEvent('DELETED', { uid: 'b', version: 21 })],
      ),
      'a child that moved to a taken pool': history(
        [],
        [
          first,
          sampleEvent('ADDED', { uid: 'b', version: 20, pool: 'shanghai' }),
          sampleEvent('MODIFIED', { uid: 'b', version: 25, pool: 'hangzhou' }),
        ],
      ),
    },
  },
  'deletes carry the uid': {
    check: deletesCarryUid({ user: 'operator' }),
    good: {
      'with the uid': history([sampleEntry({ verb: 'delete', preconditions: { uid: 'a' } })]),
      'somebody else': history([sampleEntry({ verb: 'delete', user: 'gc' })]),
      'forbidden before it is read': history([sampleEntry({ verb: 'delete', code: 403 })]),
    },
    bad: {
      'by name': history([sampleEntry({ verb: 'delete' })]),
      'refused by a policy': history([sampleEntry({ verb: 'delete', code: 403, request: {} })]),
      'by version only': history([sampleEntry({ verb: 'delete', preconditions: { resourceVersion: '7' } })]),
      'a collection': history([sampleEntry({ verb: 'deletecollection' })]),
    },
  },
  silence: {
    check: silentSince({ user: 'operator', since: startOfDay + 100, except: ['events'] }),
    good: {
      'everything before': history([createdA], [first]),
      'somebody else, unrecorded': history([sampleEntry({ user: 'kubelet', at: startOfDay + 200 })]),
      'what does not count': history(
        [sampleEntry({ resource: 'events', at: startOfDay + 200 })],
        [sampleEvent('ADDED', { uid: 'e', version: 200, resource: 'events' })],
      ),
    },
    bad: {
      'a write that changed nothing': history([sampleEntry({ verb: 'patch', at: startOfDay + 200 })]),
      'a write exactly then': history([sampleEntry({ verb: 'patch', at: startOfDay + 100 })]),
      'a change by anybody': history([], [sampleEvent('MODIFIED', { uid: 'a', version: 200 })]),
    },
  },
  'no wasted writes': {
    check: noWastedWrites({ user: 'operator' }),
    good: {
      'a change': history([createdA], [first]),
      'a refusal by policy': history([sampleEntry({ code: 403 })]),
    },
    bad: {
      AlreadyExists: history([sampleEntry({ code: 409, reason: 'AlreadyExists' })]),
      NotFound: history([sampleEntry({ verb: 'delete', code: 404, reason: 'NotFound' })]),
      unchanged: history(
        [createdA, sampleEntry({ verb: 'patch', child: { uid: 'a', version: 10 } })],
        [first],
      ),
    },
  },
  'touches only its own': {
    check: touchesOnlyOwn({
      user: 'operator',
      resources: ['deployments.apps'],
      ownerUids: new Set(['owner-1']),
    }),
    good: { 'its own': history([createdA], [first]) },
    bad: {
      'a child of another': history(
        [sampleEntry({ child: { uid: 'b', version: 20, owner: 'owner-2' } })],
        [sampleEvent('ADDED', { uid: 'b', version: 20, owner: 'owner-2' })],
      ),
      'a stranger that it made its own': history(
        [sampleEntry({ verb: 'patch', child: { uid: 'b', version: 20 } })],
        [
          sampleEvent('ADDED', { uid: 'b', version: 19, owner: 'owner-2', initial: true }),
          sampleEvent('MODIFIED', { uid: 'b', version: 20 }),
        ],
      ),
    },
  },
};

describe.each(Object.entries(cases))('%s', (rule, { check, good, bad }) => {
  it.each(Object.entries(good))('holds: %s', (_, evidence) => {
    expect(check(evidence)).toEqual([]);
  });

  it.each(Object.entries(bad))('is broken: %s', (_, evidence) => {
    const violations = check(evidence);
    expect(violations.length).toBeGreaterThan(0);
    for (const violation of violations) expect(violation).toMatchObject({ rule });
  });
});

it('a history with a gap proves nothing', () => {
  const gaps = [{ ...sampleGap, resource: 'pods', until: undefined }];
  expect(checkHistory(joinHistory({ audit: [], events: [], gaps }), [child])).toEqual([
    { rule: 'no gap', message: 'pods: events after version 10 can be missing' },
  ]);
});

it('writes are counted by user, verb and object, subresources with their object, and dry runs are no writes', () => {
  const counts = countWrites(
    history([
      sampleEntry({ name: 'a' }),
      sampleEntry({ name: 'a', verb: 'update', subresource: 'status' }),
      sampleEntry({ name: 'b', user: 'kubelet', at: startOfDay - 1 }),
      sampleEntry({ name: 'c', dryRun: true }),
      sampleEntry({ name: 'd', resource: 'leases.coordination.k8s.io' }),
    ]),
    { since: startOfDay, except: ['leases.coordination.k8s.io'] },
  );
  expect(counts).toEqual({
    total: 2,
    byUser: new Map([['operator', 2]]),
    byObject: new Map([['deployments.apps edge/a', 2]]),
    byVerb: new Map([
      ['create deployments.apps', 1],
      ['update deployments.apps', 1],
    ]),
  });
});
