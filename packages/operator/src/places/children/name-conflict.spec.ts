import type { OwnerReference, Reader, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { childName } from '../../children/names.ts';
import type { ChildWorkload } from '../../children/child.ts';
import type { ChildOwner } from '../../children/ownership/owner.ts';
import { nameConflicts } from './name-conflict.ts';
import type { PlaceChild } from '../place.ts';
import { childAt, houses, type RoomKind } from '../places.fixture.ts';

const metadata = {
  name: 'house',
  namespace: 'ns',
  uid: 'uid-house',
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
};
const house: ChildOwner = { resource: houses, object: { metadata } };
const name = childName(metadata, 'a');

function controlledBy(uid: string): readonly OwnerReference[] {
  return [{ apiVersion: 'example/v1', kind: 'House', name: 'other', uid, controller: true }];
}

/** What has the name of the child of room a. */
function holder(owners: readonly OwnerReference[], going = false): PlaceChild<RoomKind> {
  const child = childAt('a', name, { going });
  return {
    ...child,
    object: { ...child.object, metadata: { ...child.object.metadata, ownerReferences: owners } },
  };
}

function conflictAt(found: Stored<ChildWorkload>, children: readonly PlaceChild<RoomKind>[] = []) {
  const reader = {
    get: (key: { readonly name: string }) => (key.name === found.metadata.name ? found : undefined),
    by: () => [],
  } as unknown as Reader<ChildWorkload>;
  return nameConflicts(house, 'Deployment', [{ name: 'a' }], children, reader, () => 'a')['a'];
}

describe('the name of the child of a place', () => {
  it.each([
    ['nobody', [], 'nobody'],
    ['somebody else', controlledBy('uid-other'), 'House other'],
  ] as const)('is taken by what %s controls, and that stays', (_title, owners, called) => {
    const { object } = holder(owners);
    expect(conflictAt(object)).toEqual({ kind: 'Deployment', name, goes: false, holder: called });
  });

  it('is free soon where what has it is being deleted, which is reported if it takes too long', () => {
    const going = holder(controlledBy('uid-other'), true);
    expect(conflictAt(going.object)).toMatchObject({ goes: true, going });
  });

  it('is free soon where a child of its own is being deleted, which is among its children anyhow', () => {
    const own = holder(controlledBy('uid-house'), true);
    const conflict = conflictAt(own.object, [own]);
    expect(conflict).toMatchObject({ goes: true });
    expect(conflict).not.toHaveProperty('going');
  });

  it('is not needed where a child of the wanted kind serves the place under another name', () => {
    const { object } = holder(controlledBy('uid-other'));
    expect(conflictAt(object, [childAt('a', 'house-a-x')])).toBeUndefined();
    expect(conflictAt(object, [childAt('a', 'house-a-x', { kind: 'StatefulSet' })])).toBeDefined();
    expect(conflictAt(object, [childAt('a', 'house-a-x', { going: true })])).toBeDefined();
  });
});
