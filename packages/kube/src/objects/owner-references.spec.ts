import { expect, it } from 'vitest';
import { controllerReference } from './owner-references.ts';
import { deployments } from './resources.ts';

const owner = {
  metadata: { namespace: 'a', name: 'web', uid: 'u-1', resourceVersion: '1', creationTimestamp: '' },
};

it('names the owner as the one controller', () => {
  const reference = controllerReference(deployments, owner);
  expect(reference).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'web',
    uid: 'u-1',
    controller: true,
    blockOwnerDeletion: true,
  });
});
