import type { KubeObject, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { fuzzedKinds } from './fuzzed-kinds.ts';

function owedTo(kind: string, status: object | undefined): string | undefined {
  const found = fuzzedKinds.find(({ resource }) => resource.kind === kind);
  if (found === undefined) throw new Error(`${kind} is not sent`);
  const metadata = { name: 'a', uid: 'a', resourceVersion: '1', generation: 2 };
  return found.unanswered({ metadata, status } as unknown as Stored<KubeObject>);
}

const ready = [{ type: 'Ready', status: 'False', reason: 'InvalidOverride' }];

describe.each([
  'NodePool',
  'UnitedDaemonSet',
  'YurtAppDaemon',
  'UnitedDeployment',
  'ExtendedDaemonSet',
  'ExtendedDaemonsetSetting',
])('the answer to a %s', (kind) => {
  it('is a condition of its newest spec', () => {
    const status = { status: 'error', conditions: ready };
    expect(owedTo(kind, { ...status, observedGeneration: 2 })).toBeUndefined();
    expect(owedTo(kind, { ...status, observedGeneration: 1 })).toMatch(/observed is 1/);
    expect(owedTo(kind, { status: 'error', observedGeneration: 2 })).toMatch(/no condition Ready/);
    expect(owedTo(kind, undefined)).toBeDefined();
  });
});

it('of a setting is also in the field that the old operator wrote', () => {
  expect(owedTo('ExtendedDaemonsetSetting', { observedGeneration: 2, conditions: ready })).toMatch(
    'neither status valid nor error',
  );
});
