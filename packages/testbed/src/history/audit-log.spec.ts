import { appendFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../faults/wait-for.ts';
import { parseAuditLine } from './audit-entry.ts';
import { AuditLog } from './audit-log.ts';

const podDeletion = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'RequestResponse',
  auditID: 'a1',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/edge/pods/web',
  verb: 'delete',
  user: { username: 'system:serviceaccount:atoll:operator' },
  objectRef: { resource: 'pods', namespace: 'edge', name: 'web', apiVersion: 'v1' },
  responseStatus: { metadata: {}, code: 200 },
  requestObject: { kind: 'DeleteOptions', preconditions: { uid: 'u1', resourceVersion: '7' } },
  responseObject: { kind: 'Pod', metadata: { name: 'web', uid: 'u1', resourceVersion: '8' } },
  requestReceivedTimestamp: '2026-01-01T12:00:00.123456Z',
  stageTimestamp: '2026-01-01T12:00:00.223456Z',
};

function line(change: object = {}): string {
  return `${JSON.stringify({ ...podDeletion, ...change })}\n`;
}

describe('an audit entry', () => {
  it('shows who deleted what under which precondition', () => {
    expect(parseAuditLine(line())).toMatchObject({
      user: 'system:serviceaccount:atoll:operator',
      verb: 'delete',
      resource: 'pods',
      namespace: 'edge',
      name: 'web',
      uid: 'u1',
      preconditions: { uid: 'u1', resourceVersion: '7' },
      code: 200,
      dryRun: false,
      at: Date.parse('2026-01-01T12:00:00.223Z'),
    });
  });

  it('takes the uid of a deletion at once from the details of the Status', () => {
    const entry = parseAuditLine(
      line({ responseObject: { kind: 'Status', metadata: {}, details: { uid: 'u2' } } }),
    );
    expect(entry.uid).toBe('u2');
  });

  it.each([
    [
      'an apply',
      { verb: 'patch', requestURI: '/x?fieldManager=atoll&force=true' },
      { apply: true, fieldManager: 'atoll' },
    ],
    [
      'a merge patch',
      { verb: 'patch', requestURI: '/x', requestObject: { metadata: { uid: 'u1' } } },
      { apply: false, preconditions: { uid: 'u1' } },
    ],
    ['a dry run', { requestURI: '/x?dryRun=All' }, { dryRun: true }],
    ['a dry-run deletion', { requestObject: { dryRun: ['All'] } }, { dryRun: true }],
    [
      'a create',
      { verb: 'create', requestObject: { metadata: { name: 'web', uid: 'no precondition' } } },
      { preconditions: {} },
    ],
    [
      'a group and subresource',
      { objectRef: { resource: 'deployments', apiGroup: 'apps', subresource: 'status' } },
      { resource: 'deployments.apps', subresource: 'status' },
    ],
    [
      'a refusal',
      { responseStatus: { code: 409, reason: 'Conflict', message: 'changed' } },
      { code: 409, reason: 'Conflict', message: 'changed' },
    ],
  ])('is read from %s', (_, change, expected) => {
    expect(parseAuditLine(line(change))).toMatchObject(expected);
  });
});

describe('the audit log', () => {
  let directory: string;
  let path: string;
  let log: AuditLog;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'atoll-audit-log-'));
    path = join(directory, 'audit.log');
    log = new AuditLog(path);
  });

  afterEach(async () => {
    await log.close();
    await rm(directory, { recursive: true });
  });

  const ids = (): string[] => log.entries.map(({ id }) => id);

  it('may appear later', async () => {
    await log.readOn();
    expect(ids()).toEqual([]);
    await appendFile(path, line());
    await log.readOn();
    expect(ids()).toEqual(['a1']);
  });

  it('waits for the end of a half-written line, also in the middle of a character', async () => {
    const bytes = Buffer.from(line({ auditID: 'b', userAgent: 'ü' }));
    const middle = bytes.indexOf('ü') + 1;
    await appendFile(path, Buffer.concat([Buffer.from(line()), bytes.subarray(0, 10)]));
    await log.readOn();
    await appendFile(path, bytes.subarray(10, middle));
    await log.readOn();
    expect(ids()).toEqual(['a1']);
    await appendFile(path, bytes.subarray(middle));
    await log.readOn();
    expect(log.entries[1]).toMatchObject({ id: 'b', userAgent: 'ü' });
  });

  it('counts lines that are no JSON and goes on', async () => {
    await appendFile(path, `broken\n${line()}`);
    await log.readOn();
    expect([ids(), log.unreadable]).toEqual([['a1'], 1]);
  });

  it('is read to its end when it is rotated', async () => {
    await appendFile(path, line());
    await log.readOn();
    await appendFile(path, line({ auditID: 'last of the old' }));
    await rename(path, join(directory, 'audit-1.log'));
    await appendFile(path, line({ auditID: 'first of the new' }));
    await log.readOn();
    expect(ids()).toEqual(['a1', 'last of the old', 'first of the new']);
  });

  it('is followed until the signal ends', async () => {
    const ending = new AbortController();
    log.start(ending.signal);
    await appendFile(path, line());
    await waitFor(() => log.entries.length === 1, 'the entry');
    ending.abort();
    await log.close();
    expect(ids()).toEqual(['a1']);
  });
});
