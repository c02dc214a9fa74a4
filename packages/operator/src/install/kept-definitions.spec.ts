import { crdObjects, policyObjects } from '@atoll/api/install';
import { describe, expect, it } from 'vitest';
import { shippedInstallation } from './index.ts';

const protection = policyObjects().filter(({ object }) => object.metadata.name === 'definitions.atoll.dev');
const objects = [...crdObjects(shippedInstallation), ...protection];

describe.each(objects.map(({ resource, object }) => [resource.kind, object] as const))(
  'the %s',
  (_, { metadata: { name, annotations } }) => {
    it(`${name} stays where Helm removes the release, or Argo CD or Flux prunes what git has no longer`, () => {
      expect(annotations).toMatchObject({
        'helm.sh/resource-policy': 'keep',
        'argocd.argoproj.io/sync-options': 'Prune=false',
        'kustomize.toolkit.fluxcd.io/prune': 'disabled',
      });
    });
  },
);

it('are the definitions, and the policy that protects them with its binding', () => {
  expect(protection).toHaveLength(2);
  expect(objects.length).toBeGreaterThan(8);
});
