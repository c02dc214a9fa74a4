import { expect, it } from 'vitest';
import { annotations, labels, type UnitedDeployment } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { web } from '../../../simulation/examples/spread-example.ts';
import type { ChildWorkload } from '../../children/child.ts';
import { adoptable } from './orphans.ts';
import { childSelector } from '../rendering/render-child.ts';

const stamp = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

/** Whether a Deployment of that name comes back to the subset; without a word of whose it was it looks like Kruise's. */
function adopted(
  name: string,
  { subset = 'a', whose, owner = 'web' }: { subset?: string; whose?: string; owner?: string } = {},
): boolean {
  const given = web();
  const object: Stored<UnitedDeployment> = {
    ...given,
    metadata: { ...given.metadata, ...stamp, name: owner },
  };
  const recorded = whose === undefined ? {} : { [labels.workload]: whose };
  const child: Stored<ChildWorkload> = {
    metadata: {
      namespace: 'ns',
      name,
      labels: { app: 'web', [labels.subsetName]: subset, ...recorded },
      annotations: { [annotations.subsetPatch]: '' },
      ...stamp,
    },
    spec: {
      selector: childSelector(object, subset) as NonNullable<ChildWorkload['spec']>['selector'] & object,
    },
  };
  return adoptable(object, 'Deployment', [{ name: subset, spec: { name: subset } }], [child]).length === 1;
}

const long = 'w'.repeat(60);

it.each([
  ['web-a-x7f2k', {}],
  ['web-x7f2k', { subset: 'Zone_A' }],
  [`${'w'.repeat(58)}x7f2k`, { owner: long }],
  ['whatever', { whose: 'web' }],
])('%s comes back: it was ours, or Kruise named it for us', (name, recorded) => {
  expect(adopted(name, recorded)).toBe(true);
});

it.each([
  ['web-2-a-x7f2k', {}],
  ['website-a-x7f2k', {}],
  ['web-b-x7f2k', {}],
  ['web-a-x7f2k-1', {}],
  ['web-a', {}],
  ['web-2-x7f2k', { subset: 'Zone_A' }],
  ['web-a-x7f2k', { whose: 'web-2' }],
])('%s stays with nobody: another one with our selector may want it', (name, recorded) => {
  expect(adopted(name, recorded)).toBe(false);
});
