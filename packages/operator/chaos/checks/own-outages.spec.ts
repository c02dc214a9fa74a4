import type { KubeObject, Stored } from '@atoll/kube';
import type { History, RecordedEvent } from '@atoll/testbed';
import { describe, expect, it } from 'vitest';
import { onePodOnANode, ownOutages } from './own-outages.ts';

const user = 'operator';
let version = 0;

interface PodState {
  readonly ready?: boolean;
  readonly going?: boolean;
  readonly type?: RecordedEvent['type'];
}

function pod(
  name: string,
  node: string,
  { ready = true, going = false, type = 'MODIFIED' }: PodState = {},
): RecordedEvent {
  version += 1;
  const object = {
    metadata: {
      name,
      uid: name,
      labels: { app: 'agent' },
      ...(going ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { nodeName: node },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
  return event('pods', type, name, object);
}

function node(name: string, ready: boolean): RecordedEvent {
  version += 1;
  return event('nodes', 'MODIFIED', name, {
    metadata: { name },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  });
}

function event(resource: string, type: RecordedEvent['type'], name: string, object: object): RecordedEvent {
  const common = { initial: false, relisted: false, at: version, namespace: 'default', version };
  return { ...common, type, resource, uid: name, name, object: object as Stored<KubeObject> };
}

/** What the API server shows when the user deletes these pods. */
function history(events: readonly RecordedEvent[], deleted: readonly string[]): History {
  const entries = deleted.map((name) => ({
    kind: 'write',
    result: 'changed',
    at: 0,
    audit: { user, verb: 'delete', resource: 'pods', code: 200 },
    effects: events
      .filter(({ uid, object }) => uid === name && object.metadata.deletionTimestamp !== undefined)
      .map((each) => ({ event: each, before: undefined, changes: [] })),
  }));
  return { entries: entries as unknown as History['entries'], events, gaps: [] };
}

const rule = { user, daemonOf: ({ metadata }: KubeObject) => metadata.labels?.['app'], budgetOf: () => 1 };

describe('outages of our own', () => {
  it('are within the budget where the next deletion waits for a Ready pod', () => {
    const events = [
      pod('a', 'n1', { going: true }),
      pod('a2', 'n1', { type: 'ADDED' }),
      pod('b', 'n2', { going: true }),
    ];
    expect(ownOutages(rule)(history(events, ['a', 'b']))).toEqual([]);
  });

  it('exceed it where the next deletion does not wait', () => {
    const events = [
      pod('a', 'n1', { going: true }),
      pod('a2', 'n1', { type: 'ADDED', ready: false }),
      pod('b', 'n2', { going: true }),
    ];
    expect(ownOutages(rule)(history(events, ['a', 'b']))).toMatchObject([
      { message: expect.stringContaining('2 of 1 nodes wait') as string },
    ]);
  });

  it('are not what was down already', () => {
    const events = [pod('a', 'n1', { going: true }), pod('b', 'n2', { going: true, ready: false })];
    expect(ownOutages(rule)(history(events, ['a', 'b']))).toEqual([]);
  });

  it('are not what others delete, or what happens to nodes', () => {
    const events = [
      pod('a', 'n1', { going: true }),
      node('n1', false),
      pod('b', 'n2', { going: true }),
      pod('c', 'n3', { going: true }),
    ];
    expect(ownOutages(rule)(history(events, ['a', 'b']))).toEqual([]);
  });
});

describe('pods of a daemon on a node', () => {
  it('are two where the second one comes before the first goes', () => {
    const second = [pod('a', 'n1', { type: 'ADDED' }), pod('a2', 'n1', { type: 'ADDED' })];
    expect(onePodOnANode(rule)(history(second, []))).toHaveLength(1);
    const replaced = [pod('a', 'n1', { type: 'ADDED' }), pod('a', 'n1', { going: true }), pod('a2', 'n1')];
    expect(onePodOnANode(rule)(history(replaced, []))).toEqual([]);
  });
});
