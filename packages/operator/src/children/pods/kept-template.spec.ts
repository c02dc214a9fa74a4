import { describe, expect, it } from 'vitest';
import type { Stored } from '@atoll/kube';
import type { ChildWorkload, PodTemplate } from '../child.ts';
import { unlessOthersChanged } from './kept-template.ts';

const theirs = {
  manager: 'theirs',
  operation: 'Update',
  fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': {} } } },
};
const child = { metadata: { name: 'web', managedFields: [theirs] } } as unknown as Stored<ChildWorkload>;

type Lists = Readonly<Record<string, readonly object[]>>;

/** Of the pod, or of its container. */
const ofPod = (lists: Lists, image = 'web:1'): PodTemplate => ({
  spec: { containers: [{ name: 'web', image }], ...lists },
});
const ofContainer = (lists: Lists, image = 'web:1'): PodTemplate => ({
  spec: { containers: [{ name: 'web', image, ...lists }] },
});

type Elements = readonly [own: object, theirs: object, changed: object];

const spread = (topologyKey: string, whenUnsatisfiable: string, maxSkew = 1) => ({
  topologyKey,
  whenUnsatisfiable,
  maxSkew,
});

/** A list that the API server merges, with an element that the template has, one of others, and the same as they change it. */
const merged: readonly (readonly [string, typeof ofPod, Elements])[] = [
  ['imagePullSecrets', ofPod, [{ name: 'own' }, { name: 'one' }, { name: 'two' }]],
  [
    'hostAliases',
    ofPod,
    [{ ip: '1.1.1.1' }, { ip: '2.2.2.2', hostnames: ['one'] }, { ip: '2.2.2.2', hostnames: ['two'] }],
  ],
  [
    'topologySpreadConstraints',
    ofPod,
    [spread('zone', 'DoNotSchedule'), spread('zone', 'ScheduleAnyway'), spread('zone', 'ScheduleAnyway', 2)],
  ],
  [
    'resourceClaims',
    ofPod,
    [{ name: 'own' }, { name: 'one', resourceClaimName: 'one' }, { name: 'one', resourceClaimName: 'two' }],
  ],
  ['schedulingGates', ofPod, [{ name: 'own' }, { name: 'one' }, { name: 'two' }]],
  [
    'volumes',
    ofPod,
    [
      { name: 'own' },
      { name: 'one', secret: { secretName: 'one' } },
      { name: 'one', secret: { secretName: 'two' } },
    ],
  ],
  [
    'initContainers',
    ofPod,
    [
      { name: 'own', image: 'own' },
      { name: 'one', image: 'one', restartPolicy: 'Always' },
      { name: 'one', image: 'two' },
    ],
  ],
  [
    'ports',
    ofContainer,
    [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP' }, { containerPort: 54, protocol: 'UDP' }],
  ],
  ['env', ofContainer, [{ name: 'OWN' }, { name: 'ONE', value: '1' }, { name: 'ONE', value: '2' }]],
  [
    'volumeMounts',
    ofContainer,
    [
      { mountPath: '/own', name: 'own' },
      { mountPath: '/one', name: 'one' },
      { mountPath: '/one', name: 'two' },
    ],
  ],
  [
    'volumeDevices',
    ofContainer,
    [
      { devicePath: '/own', name: 'own' },
      { devicePath: '/one', name: 'one' },
      { devicePath: '/one', name: 'two' },
    ],
  ],
];

describe.each(merged)('in %s of a child that is kept', (list, pods, [own, before, after]) => {
  const noted = pods({ [list]: [own, before] }, 'web:hotfix');
  const wanted = pods({ [list]: [own] });

  it('the element of others stays as they change it', () => {
    const found = pods({ [list]: [own, after] }, 'web:hotfix');
    expect(unlessOthersChanged(noted, found, wanted, child)).toBe(found);
  });

  it('the element of the template is put back where it is taken out', () => {
    const found = pods({ [list]: [after] }, 'web:hotfix');
    expect(unlessOthersChanged(noted, found, wanted, child)).toBe(noted);
  });
});

it('a list that the API server replaces as a whole is put back, as in any child', () => {
  const [own, one, two] = ['own', 'one', 'two'].map((key) => ({ key, operator: 'Exists' }));
  const [noted, found] = [one, two].map((each) => ofPod({ tolerations: [own ?? {}, each ?? {}] }));
  const wanted = ofPod({ tolerations: [own ?? {}] });
  expect(unlessOthersChanged(noted ?? {}, found ?? {}, wanted, child)).toBe(noted);
});
