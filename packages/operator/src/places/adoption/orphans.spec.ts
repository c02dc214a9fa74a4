import { expect, it } from 'vitest';
import { annotations, labels, type UnitedDeployment } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { web } from '../../../simulation/examples/spread-example.ts';
import type { ChildWorkload } from '../../children/child.ts';
import { formerPools } from '../../pool-workload/child.ts';
import { formerSubsets } from '../../united-deployment/subsets/child.ts';
import { adoptable, childSelector, type SelectingOwner } from './orphans.ts';

const stamp = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

/** A Deployment that the object's selector selects, for a place. `whose`: for whom it was made, as far as it says that. */
function childFor(
  object: Stored<SelectingOwner>,
  name: string,
  [placeLabel, place]: readonly [label: string, place: string],
  whose: string | undefined,
  notes: Readonly<Record<string, string>>,
): Stored<ChildWorkload> {
  const recorded = whose === undefined ? {} : { [labels.workload]: whose };
  const selector = childSelector(object, placeLabel, place) as NonNullable<
    ChildWorkload['spec']
  >['selector'] &
    object;
  const found = { app: 'web', [placeLabel]: place, ...recorded };
  return {
    metadata: { namespace: 'ns', name, labels: found, annotations: notes, ...stamp },
    spec: { selector },
  };
}

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
  const notes = { [annotations.subsetPatch]: '' };
  const child = childFor(object, name, [labels.subsetName, subset], whose, notes);
  return adoptable(object, 'Deployment', [{ name: subset }], [child], formerSubsets).length === 1;
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

/** The same for the pool `hz` of a pool workload; without a word of whose it was it looks like the old operator's. */
function poolsChild(
  name: string,
  { whose, owner = 'web', pool = 'hz' }: { whose?: string; owner?: string; pool?: string } = {},
): boolean {
  const object: Stored<SelectingOwner> = {
    metadata: { namespace: 'ns', name: owner, ...stamp },
    spec: { selector: { matchLabels: { app: 'web' } } },
  };
  const notes: Record<string, string> = whose === undefined ? { [annotations.refNodePool]: pool } : {};
  const child = childFor(object, name, [labels.poolName, pool], whose, notes);
  return adoptable(object, 'Deployment', [{ name: pool }], [child], formerPools).length === 1;
}

const longPool = 'p'.repeat(200);

it.each([
  ['web-hz-x7f2k', {}],
  ['whatever', { whose: 'web' }],
  [`web-${'p'.repeat(54)}x7f2k`, { pool: longPool }],
  [`${'w'.repeat(58)}x7f2k`, { owner: long, pool: longPool }],
])('the child of a pool %s comes back', (name, recorded) => {
  expect(poolsChild(name, recorded)).toBe(true);
});

it.each([
  ['web-2-hz-x7f2k', {}],
  ['web-hz-x7f2k-1', {}],
  ['web-x7f2k', {}],
  ['web-hz-x7f2k', { whose: 'web-2' }],
])('the child of a pool %s stays with nobody', (name, recorded) => {
  expect(poolsChild(name, recorded)).toBe(false);
});

/**
 * The same for a Deployment that selects what its owner selects, without a pool, as the render webhook of OpenYurt v1.4.0 to v1.4.4 made it.
 * `labelled`: the pool in its label; `noted`: the pool in its annotation; `pods`: the label that it selects.
 */
function rawChild(
  name: string,
  {
    whose,
    labelled = 'hz',
    noted = 'hz',
    kind = 'Deployment',
    pods = 'web',
  }: { whose?: string; labelled?: string; noted?: string; kind?: string; pods?: string } = {},
): boolean {
  const object: Stored<SelectingOwner> = {
    metadata: { namespace: 'ns', name: 'web', ...stamp },
    spec: { selector: { matchLabels: { app: 'web' } } },
  };
  const notes = noted === '' ? {} : { [annotations.refNodePool]: noted };
  const { metadata } = childFor(object, name, [labels.poolName, labelled], whose, notes);
  const child = { metadata, spec: { selector: { matchLabels: { app: pods } } } } as Stored<ChildWorkload>;
  const pools = [{ name: 'hz' }, { name: 'bj' }];
  return adoptable(object, kind, pools, [child], formerPools).length === 1;
}

it.each([
  ['web-hz-x7f2k', {}],
  ['web-hz-x7f2k', { whose: 'web' }],
])('%s comes back, in whose selector an old operator left its pool out', (name, recorded) => {
  expect(rawChild(name, recorded)).toBe(true);
});

it.each([
  ['which it did not name', 'web-hz', {}],
  ['which it did not name, though a record says that it was ours', 'web-hz', { whose: 'web' }],
  ['which it named for another owner', 'web-2-hz-x7f2k', {}],
  ['which records another owner', 'web-hz-x7f2k', { whose: 'web-2' }],
  ['of which it did not note the pool', 'web-hz-x7f2k', { noted: '' }],
  ['of which label and note differ', 'web-hz-x7f2k', { labelled: 'bj' }],
  ['which selects something else', 'web-hz-x7f2k', { pods: 'api' }],
  ['of a kind that it never made', 'web-hz-x7f2k', { kind: 'StatefulSet' }],
])('a child without a pool in its selector stays with nobody %s', (_, name, recorded) => {
  expect(rawChild(name, recorded)).toBe(false);
});

it('a child that is being deleted does not come back: its place gets another one', () => {
  const owner: Stored<SelectingOwner> = {
    metadata: { namespace: 'ns', name: 'web', ...stamp },
    spec: { selector: { matchLabels: { app: 'web' } } },
  };
  const child = childFor(owner, 'web-hz', [labels.poolName, 'hz'], 'web', {});
  const deletionTimestamp = '2026-01-02T00:00:00Z';
  const going = { ...child, metadata: { ...child.metadata, deletionTimestamp } };
  const found = [child, going].map((each) =>
    adoptable(owner, 'Deployment', [{ name: 'hz' }], [each], formerPools),
  );
  expect(found.map(({ length }) => length)).toEqual([1, 0]);
});

it.each([
  ['empty', {}],
  ['not to be understood', { matchExpressions: [{ key: 'app', operator: 'Like', values: ['web'] }] }],
])('nothing comes back to an object whose selector is %s', (_, selector) => {
  const object = { metadata: { namespace: 'ns', name: 'web', ...stamp }, spec: { selector } } as never;
  const child = {
    metadata: { namespace: 'ns', name: 'web-hz', labels: { [labels.workload]: 'web' }, ...stamp },
    spec: { selector: childSelector(object, labels.poolName, 'hz') },
  } as never;
  const former = { ...formerPools, placeOf: () => 'hz' };
  expect(adoptable(object, 'Deployment', [{ name: 'hz' }], [child], former)).toEqual([]);
});
