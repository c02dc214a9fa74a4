import { checkHistory, type History, type RecordedEvent } from '@atoll/testbed';
import type { KubeObject, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { operatorUser } from '../../integration/set-up/operator-account.ts';
import { checksOfRound } from './checks-of-round.ts';

const owner = 'owner-1';

interface Seen {
  readonly resource: string;
  readonly app?: string;
  readonly ownerUid?: string;
  readonly ownerKind?: string;
  readonly ready?: boolean;
}

/** The API server ends an object because of the operator. */
function deletionOf({ resource, app = 'web', ownerUid, ownerKind, ready = false }: Seen): History {
  const ownerReferences =
    ownerUid === undefined ? [] : [{ controller: true, uid: ownerUid, kind: ownerKind }];
  const object = {
    metadata: {
      name: 'a',
      uid: 'a',
      labels: { app },
      ownerReferences,
      deletionTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { nodeName: 'n1' },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  } as unknown as Stored<KubeObject>;
  const common = {
    initial: false,
    relisted: false,
    at: 1,
    namespace: 'chaos',
    version: 1,
    uid: 'a',
    name: 'a',
  };
  const event: RecordedEvent = { ...common, type: 'MODIFIED', resource, object };
  const audit = {
    at: 0,
    user: operatorUser,
    verb: 'delete',
    resource,
    code: 200,
    preconditions: { uid: 'a' },
  };
  const effects = [{ event, before: object, changes: [] }];
  const entries = [{ kind: 'write', result: 'changed', at: 0, audit, effects }];
  return { entries: entries as unknown as History['entries'], events: [event], gaps: [] };
}

const violationsOf = (seen: Seen): readonly string[] =>
  checkHistory(deletionOf(seen), checksOfRound(new Set([owner]), 8)).map(({ rule }) => rule);

const replicaSets = 'extendeddaemonsetreplicasets.datadoghq.com';

describe('a deletion by the operator', () => {
  it.each<Seen>([
    { resource: 'pods', app: 'ds-1' },
    { resource: 'pods', app: 'eds-1' },
    { resource: 'pods', ownerUid: 'a child', ownerKind: 'StatefulSet' },
    { resource: replicaSets, ownerUid: owner },
    { resource: 'deployments.apps', ownerUid: owner },
    { resource: 'statefulsets.apps', ownerUid: owner },
  ])('is its own: %j', (seen) => {
    expect(violationsOf(seen)).toEqual([]);
  });

  it.each<Seen>([
    { resource: 'pods' },
    { resource: 'pods', ownerUid: 'a child', ownerKind: 'StatefulSet', ready: true },
    { resource: 'pods', ownerUid: 'a child', ownerKind: 'ReplicaSet' },
    // Those belong to the owners of the nodes.
    { resource: 'pods', app: 'ota-1' },
    { resource: replicaSets, ownerUid: 'somebody' },
    { resource: replicaSets },
    { resource: 'deployments.apps', ownerUid: 'somebody' },
    { resource: 'statefulsets.apps', ownerUid: 'somebody' },
  ])('is of what is not its own: %j', (seen) => {
    expect(violationsOf(seen)).not.toEqual([]);
  });
});
