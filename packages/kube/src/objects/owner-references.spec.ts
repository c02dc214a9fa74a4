import { expect, it } from 'vitest';
import { controllerReference, isControlledBy } from './owner-references.ts';
import { deployments } from './resources.ts';

const owner = {
  metadata: { namespace: 'a', name: 'web', uid: 'u-1', resourceVersion: '1', creationTimestamp: '' },
};

it('an object that has the reference is controlled by the owner, and by no other of its name', () => {
  const reference = controllerReference(deployments, owner);
  const child = { metadata: { namespace: 'a', name: 'web-1', ownerReferences: [reference] } };
  expect(reference).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'web',
    uid: 'u-1',
    controller: true,
    blockOwnerDeletion: true,
  });
  expect(isControlledBy(child, owner)).toBe(true);
  expect(isControlledBy(child, { metadata: { ...owner.metadata, uid: 'u-2' } })).toBe(false);
  const { controller: _, ...plain } = reference;
  expect(isControlledBy({ metadata: { ...child.metadata, ownerReferences: [plain] } }, owner)).toBe(false);
});
