import type { KubeObject, Stored } from '@atoll/kube';
import type { AuditEntry, History } from '@atoll/testbed';
import { expect, it } from 'vitest';
import { operatorUser } from '../integration/set-up/operator-account.ts';
import { lostChildren, meaningOf, type ChangedObject } from './changed-objects.ts';
import type { JsonObject } from './hostile.ts';
import { fuzzedKinds } from './kinds/fuzzed-kinds.ts';

/** The operator deletes the child `web-east`. */
function history(audit: Partial<AuditEntry> = {}): History {
  const preconditions = { uid: 'web-east' };
  const common = { user: operatorUser, verb: 'delete', code: 200, receivedAt: 15, preconditions };
  return { entries: [{ kind: 'write', audit: { ...common, ...audit }, effects: [] }] } as unknown as History;
}

function changed(kind: string, change: JsonObject | undefined, heldFor?: string): ChangedObject {
  const fuzzed = fuzzedKinds.find(({ resource }) => resource.kind === kind);
  if (fuzzed === undefined) throw new Error(`no ${kind}`);
  const valid = fuzzed.valid('web');
  const spec = { ...(valid['spec'] as JsonObject), ...change };
  return {
    fuzzed,
    object: { metadata: { name: 'web' } } as Stored<KubeObject>,
    valid,
    before: [{ metadata: { uid: 'web-east', name: 'web-east' } } as Stored<KubeObject>],
    changed: change === undefined ? undefined : { ...valid, spec },
    since: 10,
    until: 20,
    heldFor,
    isFaulty: heldFor !== undefined,
  };
}

const placed = changed('UnitedDaemonSet', { revisionHistoryLimit: 7 });

it.each<readonly [string, ChangedObject, Partial<AuditEntry>, number]>([
  ['of an object whose places stay', placed, {}, 1],
  ['of one whose pools are others', changed('UnitedDaemonSet', { nodepoolSelector: {} }), {}, 0],
  ['of one that is held', changed('UnitedDaemonSet', { nodepoolSelector: {} }, 'InvalidSelector'), {}, 1],
  ['of one whose subsets are others', changed('UnitedDeployment', { topology: { subsets: [] } }), {}, 0],
  ['of a daemon that is held', changed('ExtendedDaemonSet', {}, 'InvalidStrategy'), {}, 1],
  ['of a daemon that is rolled out', changed('ExtendedDaemonSet', {}), {}, 0],
  ['of one whose change was refused', changed('UnitedDaemonSet', undefined), {}, 0],
  ['before the change', placed, { receivedAt: 9 }, 0],
  ['after it was changed back', placed, { receivedAt: 20 }, 0],
  ['by somebody else', placed, { user: 'somebody' }, 0],
  ['that was refused', placed, { code: 409 }, 0],
  ['of another child', placed, { preconditions: { uid: 'other' } }, 0],
])('a deletion %s is a loss, or not', (_, object, audit, losses) => {
  expect(lostChildren([object], history(audit))).toHaveLength(losses);
});

it.each<readonly [string, object, boolean]>([
  ['replica sets of one template', { template: {}, templateGeneration: 'x' }, true],
  ['Deployments', { template: {} }, false],
  ['pods of one node', { nodeName: 'n', containers: [{ image: 'web:0' }] }, true],
])('two %s that differ in their names do the same, or not', (_, spec, isSame) => {
  const [one, other] = ['one', 'other'].map((name) => meaningOf({ metadata: { name }, spec } as never));
  expect(one === other).toBe(isSame);
});
