import { fieldManagers } from '@atoll/api';
import type { FieldsV1, ManagedFieldsEntry, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import type { ChildWorkload, RenderedChild } from '../child.ts';
import { ownersOfFilledIn } from './filled-in.ts';

type Fields = Readonly<Record<string, unknown>>;

const rolling = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } };
const account = { serviceAccountName: 'web', serviceAccount: 'web' };
const ownsAccount: FieldsV1 = { 'f:template': { 'f:spec': { 'f:serviceAccountName': {} } } };

function live(spec: Fields, owned: FieldsV1, ...others: readonly ManagedFieldsEntry[]) {
  const ours = { manager: fieldManagers.atoll, operation: 'Apply', fieldsV1: { 'f:spec': owned } };
  return {
    metadata: { name: 'x', managedFields: [...others, ours] },
    spec,
  } as unknown as Stored<ChildWorkload>;
}

function wanted(spec: Fields): RenderedChild {
  const metadata = { name: 'x' };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { template: {}, ...spec } };
}

describe('what the API server filled in becomes ours where the child is to be without it', () => {
  it.each<readonly [string, Stored<ChildWorkload>, Fields, readonly object[]]>([
    [
      'rollingUpdate beside Recreate, where the template had no strategy',
      live({ strategy: rolling }, {}),
      { strategy: { type: 'Recreate' } },
      [{ path: '/f:strategy', value: { 'f:rollingUpdate': {} } }],
    ],
    [
      'the same where the template had the type',
      live({ strategy: rolling }, { 'f:strategy': { 'f:type': {} } }),
      { strategy: { type: 'Recreate' } },
      [{ path: '/f:strategy/f:rollingUpdate', value: {} }],
    ],
    [
      'that of a StatefulSet beside OnDelete',
      live({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } }, {}),
      { updateStrategy: { type: 'OnDelete', rollingUpdate: null } },
      [{ path: '/f:updateStrategy', value: { 'f:rollingUpdate': {} } }],
    ],
    [
      'the copy of a ServiceAccount',
      live({ template: { spec: account } }, ownsAccount),
      { template: { spec: { containers: [] } } },
      [{ path: '/f:template/f:spec/f:serviceAccount', value: {} }],
    ],
    [
      'the same of the older field',
      live({ template: { spec: account } }, { 'f:template': { 'f:spec': { 'f:serviceAccount': {} } } }),
      { template: {} },
      [{ path: '/f:template/f:spec/f:serviceAccountName', value: {} }],
    ],
  ])('%s', (_, child, spec, claims) => {
    const base = '/metadata/managedFields/0/fieldsV1/f:spec';
    const added = claims.map((each) => ({
      op: 'add',
      ...each,
      path: `${base}${(each as { readonly path: string }).path}`,
    }));
    expect(ownersOfFilledIn(child, wanted(spec))).toEqual({
      does: 'claim-filled-in',
      operations: [
        { op: 'test', path: '/metadata/managedFields/0/manager', value: fieldManagers.atoll },
        ...added,
      ],
    });
  });

  it.each<readonly [string, Stored<ChildWorkload>, Fields]>([
    [
      'that is ours',
      live({ strategy: rolling }, { 'f:strategy': { 'f:rollingUpdate': { 'f:maxSurge': {} } } }),
      { strategy: { type: 'Recreate' } },
    ],
    ['that is not there', live({ strategy: { type: 'Recreate' } }, {}), { strategy: { type: 'Recreate' } }],
    ['of a child that rolls', live({ strategy: rolling }, {}), { strategy: { type: 'RollingUpdate' } }],
    ['where the template says nothing', live({ strategy: rolling }, {}), {}],
    [
      'of an account that stays',
      live({ template: { spec: account } }, ownsAccount),
      { template: { spec: account } },
    ],
    ['of an account that we did not give', live({ template: { spec: account } }, {}), { template: {} }],
    [
      'of a child that we have not applied',
      { ...live({ strategy: rolling }, {}), metadata: { name: 'x' } } as Stored<ChildWorkload>,
      { strategy: { type: 'Recreate' } },
    ],
  ])('not %s', (_, child, spec) => {
    expect(ownersOfFilledIn(child, wanted(spec))).toBeUndefined();
  });

  it('in the entry of our applies, whatever stands before it', () => {
    const other: ManagedFieldsEntry = { manager: 'kube-controller-manager', operation: 'Update' };
    expect(
      ownersOfFilledIn(
        live({ strategy: rolling }, {}, other),
        wanted({ strategy: { type: 'Recreate' } }),
      )?.operations.map(({ path }) => path),
    ).toEqual(['/metadata/managedFields/1/manager', '/metadata/managedFields/1/fieldsV1/f:spec/f:strategy']);
  });
});
