import { describe, expect, it } from 'vitest';
import type { AuditEntry } from './audit-entry.ts';
import { formatHistory } from './format-history.ts';
import type { History } from './history.ts';
import { writesOf } from './history.ts';
import { joinHistory } from './join-history.ts';
import type { RecordedEvent } from './recorded-event.ts';
import { sampleChild, sampleEntry, sampleEvent, sampleGap, startOfDay } from './sample-evidence.ts';

function join(audit: readonly AuditEntry[], events: readonly RecordedEvent[]): History {
  return joinHistory({ audit, events, gaps: [] });
}

/** `verb result effect@version…` of each entry, in order. */
function summary(history: History): string[] {
  return history.entries.map((entry) => {
    if (entry.kind === 'unexplained') return `? ${entry.effect.event.type}@${entry.effect.event.version}`;
    const effects = entry.effects.map(({ event }) => `${event.type}@${event.version}`);
    return [entry.audit.verb, entry.result, ...effects].join(' ');
  });
}

const added = sampleEvent('ADDED', { uid: 'a', version: 10 });
const created = sampleEntry({ verb: 'create', code: 201, child: { uid: 'a', version: 10 } });

describe('a write is joined to what it changed', () => {
  it.each<[string, AuditEntry[], RecordedEvent[], string[]]>([
    ['a create by uid and version', [created], [added], ['create changed ADDED@10']],
    [
      'an update to the version it made',
      [created, sampleEntry({ verb: 'update', child: { uid: 'a', version: 12 } })],
      [added, sampleEvent('MODIFIED', { uid: 'a', version: 12, replicas: 2 })],
      ['create changed ADDED@10', 'update changed MODIFIED@12'],
    ],
    [
      'an update that changed nothing, although the log has it before the create',
      [sampleEntry({ verb: 'patch', child: { uid: 'a', version: 10 }, at: startOfDay }), created],
      [added],
      ['create changed ADDED@10', 'patch unchanged'],
    ],
    [
      'a patch that changed nothing, although the log has it before the status that it met',
      [
        sampleEntry({ verb: 'patch', child: { uid: 'a', version: 12 }, at: startOfDay }),
        sampleEntry({ verb: 'update', subresource: 'status', child: { uid: 'a', version: 12 } }),
      ],
      [{ ...added, initial: true }, sampleEvent('MODIFIED', { uid: 'a', version: 12, readyReplicas: 1 })],
      ['update changed MODIFIED@12', 'patch unchanged'],
    ],
    [
      'a status that changed nothing, although the log has it before the patch that it met',
      [
        sampleEntry({
          verb: 'update',
          subresource: 'status',
          child: { uid: 'a', version: 12 },
          at: startOfDay,
        }),
        sampleEntry({ verb: 'patch', child: { uid: 'a', version: 12 } }),
      ],
      [{ ...added, initial: true }, sampleEvent('MODIFIED', { uid: 'a', version: 12, replicas: 2 })],
      ['patch changed MODIFIED@12', 'update unchanged'],
    ],
    ['a refusal', [sampleEntry({ verb: 'create', code: 409 })], [], ['create refused']],
    [
      'a dry run',
      [sampleEntry({ verb: 'create', dryRun: true, child: { uid: 'b', version: 9 } })],
      [],
      ['create dry-run'],
    ],
    [
      'a deletion at once, answered with a bare Status',
      [sampleEntry({ verb: 'delete', uid: 'a', at: startOfDay + 20 })],
      [{ ...added, initial: true }, sampleEvent('DELETED', { uid: 'a', version: 13 })],
      ['delete changed DELETED@13'],
    ],
    [
      'a graceful deletion to its deletionTimestamp, its end to the one who ended it',
      [
        sampleEntry({ verb: 'delete', child: { uid: 'a', version: 11, deleting: true, graceSeconds: 30 } }),
        sampleEntry({
          verb: 'delete',
          user: 'kubelet',
          child: { uid: 'a', version: 13, deleting: true, graceSeconds: 0 },
        }),
      ],
      [
        { ...added, initial: true },
        sampleEvent('MODIFIED', { uid: 'a', version: 11, deleting: true, graceSeconds: 30 }),
        sampleEvent('MODIFIED', { uid: 'a', version: 12, deleting: true, graceSeconds: 0 }),
        sampleEvent('DELETED', { uid: 'a', version: 13, deleting: true, graceSeconds: 0 }),
      ],
      ['delete changed MODIFIED@11', 'delete changed MODIFIED@12 DELETED@13'],
    ],
    [
      'a second deletion of what is already going: nothing',
      [
        sampleEntry({ verb: 'delete', child: { uid: 'a', version: 11, deleting: true, graceSeconds: 30 } }),
        sampleEntry({ verb: 'delete', child: { uid: 'a', version: 11, deleting: true, graceSeconds: 30 } }),
      ],
      [
        { ...added, initial: true },
        sampleEvent('MODIFIED', { uid: 'a', version: 11, deleting: true, graceSeconds: 30 }),
        sampleEvent('DELETED', { uid: 'a', version: 13, deleting: true, graceSeconds: 0 }),
      ],
      ['delete changed MODIFIED@11', 'delete unchanged', '? DELETED@13'],
    ],
    [
      'an update that took away the last finalizer',
      [sampleEntry({ verb: 'update', child: { uid: 'a', version: 11, deleting: true, finalizers: [] } })],
      [
        sampleEvent('ADDED', { uid: 'a', version: 10, deleting: true, finalizers: ['x'], initial: true }),
        sampleEvent('DELETED', { uid: 'a', version: 12, deleting: true }),
      ],
      ['update changed DELETED@12'],
    ],
    [
      'a deletion of a collection',
      [
        sampleEntry({
          verb: 'deletecollection',
          response: {
            items: [sampleChild({ uid: 'a', version: 10 }), sampleChild({ uid: 'b', version: 11 })],
          },
          at: startOfDay + 30,
        }),
      ],
      [
        { ...added, initial: true },
        sampleEvent('ADDED', { uid: 'b', version: 11, initial: true }),
        sampleEvent('DELETED', { uid: 'a', version: 20 }),
        sampleEvent('DELETED', { uid: 'b', version: 21 }),
      ],
      ['deletecollection changed DELETED@20 DELETED@21'],
    ],
    [
      'a write whose event has not come yet: unseen',
      [sampleEntry({ verb: 'patch', child: { uid: 'a', version: 99 } })],
      [{ ...added, initial: true }],
      ['patch unseen'],
    ],
    ['a change without any entry', [], [added], ['? ADDED@10']],
    ['what existed at the start: no change', [], [{ ...added, initial: true }], []],
    ['an event that came twice: once', [created], [added, added], ['create changed ADDED@10']],
  ])('%s', (_, audit, events, expected) => {
    expect(summary(join(audit, events))).toEqual(expected);
  });

  it('leaves reads and requests that are not complete out', () => {
    const entries = [
      sampleEntry({ verb: 'list' }),
      sampleEntry({ verb: 'create', stage: 'ResponseStarted' }),
    ];
    expect(join(entries, []).entries).toEqual([]);
  });

  it('names the fields that differ', () => {
    const changed = sampleEvent('MODIFIED', { uid: 'a', version: 12, replicas: 3 });
    const update = sampleEntry({ verb: 'update', child: { uid: 'a', version: 12 } });
    const history = join([update], [{ ...added, initial: true }, changed]);
    expect(writesOf(history)[0]?.effects[0]?.changes).toEqual([{ path: 'spec.replicas', from: 1, to: 3 }]);
  });
});

it('is ordered by version where it is known and by completion elsewhere', () => {
  const history = join(
    [
      sampleEntry({ verb: 'update', child: { uid: 'a', version: 30 }, at: startOfDay + 100 }),
      sampleEntry({ verb: 'update', child: { uid: 'b', version: 20 }, at: startOfDay + 200 }),
      sampleEntry({ verb: 'create', code: 422, at: startOfDay + 300 }),
      sampleEntry({ verb: 'update', child: { uid: 'a', version: 40 }, at: startOfDay + 400 }),
    ],
    [
      sampleEvent('MODIFIED', { uid: 'a', version: 30 }),
      sampleEvent('MODIFIED', { uid: 'b', version: 20 }),
      sampleEvent('MODIFIED', { uid: 'a', version: 40 }),
    ],
  );
  expect(summary(history)).toEqual([
    'update changed MODIFIED@20',
    'update changed MODIFIED@30',
    'create refused',
    'update changed MODIFIED@40',
  ]);
});

it('reads as one line per write', () => {
  const history = joinHistory({
    audit: [
      sampleEntry({
        ...created,
        user: 'system:serviceaccount:atoll:operator',
        fieldManager: 'atoll',
        apply: true,
      }),
      sampleEntry({
        verb: 'update',
        child: { uid: 'a', version: 12 },
        preconditions: { uid: 'a', resourceVersion: '10' },
      }),
      sampleEntry({
        verb: 'create',
        code: 409,
        name: 'web-b',
        message: 'already exists',
        at: startOfDay + 500,
      }),
    ],
    events: [
      added,
      sampleEvent('MODIFIED', { uid: 'a', version: 12, replicas: 3 }),
      sampleEvent('DELETED', { uid: 'a', version: 600 }),
    ],
    gaps: [{ ...sampleGap, resource: 'pods', until: undefined }],
  });
  expect(formatHistory(history)).toBe(`\
GAP in pods after version 10: events can be missing
12:00:00.010  v10   sa:atoll:operator (atoll)  apply    deployments.apps edge/web-a                  201  created a
12:00:00.012  v12   operator                   update   deployments.apps edge/web-a  if uid=a rv=10  200  spec.replicas 1 → 3
12:00:00.500        operator                   create   deployments.apps edge/web-b                  409  refused: already exists
12:00:00.600  v600  ?                          DELETED  deployments.apps edge/web-a                       deleted a
`);
});

describe('a gap', () => {
  const known = { ...added, initial: true };
  const relistedChange = sampleEvent('MODIFIED', { uid: 'a', version: 15, replicas: 2, relisted: true });
  const change = sampleEntry({ verb: 'update', child: { uid: 'a', version: 15 } });
  it.each<[string, AuditEntry[], RecordedEvent[], number]>([
    ['is closed where nobody wrote', [], [known], 0],
    ['is closed where the list shows every audited write', [change], [known, relistedChange], 0],
    ['is closed where writes were refused', [sampleEntry({ code: 409, at: startOfDay + 15 })], [known], 0],
    [
      'is closed where writes went elsewhere',
      [sampleEntry({ resource: 'pods', uid: 'p', at: startOfDay + 15 })],
      [known],
      0,
    ],
    ['stays where a change has no audited writer', [], [known, relistedChange], 1],
    [
      'stays where one audited write hides behind another',
      [sampleEntry({ verb: 'update', child: { uid: 'a', version: 13 } }), change],
      [known, relistedChange],
      1,
    ],
    [
      'stays where something came and went',
      [
        sampleEntry({ child: { uid: 'b', version: 12 } }),
        sampleEntry({ verb: 'delete', uid: 'b', at: startOfDay + 13 }),
      ],
      [known],
      1,
    ],
    [
      'stays where something went: it is not known when',
      [sampleEntry({ verb: 'delete', uid: 'a', at: startOfDay + 13 })],
      [known, sampleEvent('DELETED', { uid: 'a', version: 20, relisted: true })],
      1,
    ],
  ])('%s', (_, audit, events, open) => {
    expect(joinHistory({ audit, events, gaps: [sampleGap] }).gaps).toHaveLength(open);
  });

  it('stays while no list has ended it', () => {
    expect(
      joinHistory({ audit: [], events: [], gaps: [{ ...sampleGap, until: undefined }] }).gaps,
    ).toHaveLength(1);
  });

  it('does not ask for writes to other namespaces than the recorder saw', () => {
    const elsewhere = sampleEntry({ namespace: 'other', child: { uid: 'b', version: 12 } });
    const gap = { ...sampleGap, namespace: 'edge' };
    expect(joinHistory({ audit: [elsewhere], events: [], gaps: [gap] }).gaps).toEqual([]);
    expect(joinHistory({ audit: [elsewhere], events: [], gaps: [sampleGap] }).gaps).toHaveLength(1);
  });
});
