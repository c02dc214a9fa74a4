import { describe, expect, it } from 'vitest';
import { annotations, labels } from '@atoll/api';
import type { ControllerRevision, ObjectKey, Stored } from '@atoll/kube';
import { decideRevision, expendable, type Revision } from './revision.ts';
import { withOldDefaults } from './old-defaults.ts';
import { neededRevisions } from './needed-revisions.ts';

const template = { kind: 'Deployment', labels: {}, annotations: {}, spec: {} };

function revision(number: number): Revision {
  const name = `web-${number}`;
  const metadata = { name, namespace: 'ns', uid: name, resourceVersion: '1', creationTimestamp: '' };
  return { name, label: name, number, template, stored: { metadata, revision: number } };
}

const history = [1, 2, 3, 4].map(revision);

describe('a history beyond its limit', () => {
  it('loses the oldest that nothing needs', () => {
    const lost = expendable(history, 2, new Set(['web-1', 'web-4']));
    expect(lost.map(({ name }) => name)).toEqual(['web-2', 'web-3']);
    expect(expendable(history, 3, new Set(['web-4'])).map(({ name }) => name)).toEqual(['web-1']);
  });

  it.each([
    ["a child's label", { labels: { rev: 'web-1' } }, {}],
    ["a child's note of its pods", { annotations: { [annotations.podRevision]: 'web-1' } }, {}],
    ["pods' label", {}, { rev: 'web-1' }],
  ] as const)('keeps what only %s names', (_title, more, podLabels) => {
    const metadata = { name: 'c', uid: 'c', resourceVersion: '1', creationTimestamp: '', ...more };
    const object = { metadata, spec: { template: { metadata: { labels: podLabels } } } };
    const wanted = revision(4);
    const children = [{ kind: 'Deployment', object }];
    expect([...neededRevisions(wanted, history, undefined, children, 'rev')]).toEqual(['web-4', 'web-1']);
  });
});

it('a name that is taken moves on until one is free', () => {
  const names: string[] = [];
  const reader = {
    get: ({ name }: ObjectKey) => {
      names.push(name);
      return names.length < 4 ? revision(0).stored : undefined;
    },
  };
  const { update, collisionCount } = decideRevision({ metadata: { name: 'web' } }, template, [], reader);
  expect(new Set(names).size).toBe(4);
  expect([update.name, collisionCount]).toEqual([names[3], 3]);
});

describe('the claims of a template', () => {
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const stored = {
    metadata: { name: 'data', creationTimestamp: null },
    spec: { ...claim.spec, volumeMode: 'Filesystem' },
    status: { phase: 'Pending' },
  };
  const typed = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...claim, status: {} };
  const ofClaims = (...volumeClaimTemplates: readonly object[]) => ({
    kind: 'StatefulSet',
    labels: {},
    annotations: {},
    spec: { volumeClaimTemplates },
  });
  const decided = (given: object, before: object): string => {
    const [kept, free] = [{ ...revision(1), template: ofClaims(before) }, { get: () => undefined }];
    return decideRevision({ metadata: { name: 'web' } }, ofClaims(given), [kept], free).write;
  };

  it.each([
    ['as the webhook of OpenKruise stored them', stored],
    ['with the type and the status that Go writes', typed],
    [
      'with an amount that means the same',
      { ...claim, spec: { ...claim.spec, resources: { requests: { storage: '1024Mi' } } } },
    ],
  ])('are the same as %s', (_, before) => {
    expect(decided(claim, before)).toBe('none');
    expect(decided(before, claim)).toBe('none');
  });

  it.each([
    ['another size', { ...claim, spec: { ...claim.spec, resources: { requests: { storage: '2Gi' } } } }],
    ['another mode', { ...claim, spec: { ...claim.spec, volumeMode: 'Block' } }],
    ['the class that is none', { ...claim, spec: { ...claim.spec, storageClassName: '' } }],
    ['another name', { ...claim, metadata: { name: 'logs' } }],
  ])('are others with %s', (_, given) => {
    expect(decided(given, stored)).toBe('create');
  });
});

it.each([
  ['the newest one stays, although an older one of the old operator is the template', {}, 'web-2', 'none'],
  ['one of ours that is the template is the wanted one', { [labels.workload]: 'web' }, 'web-1', 'renumber'],
] as const)(
  'of what the webhook of an old operator would have stored, %s',
  (_title, carried, name, write) => {
    const containers = [{ name: 'web', image: 'web:1' }];
    const given = { ...template, spec: { template: { spec: { containers } } } };
    const stored = withOldDefaults(given);
    const [first, second] = [revision(1), revision(2)];
    const metadata = {
      ...revision(1).stored?.metadata,
      labels: carried,
    } as Stored<ControllerRevision>['metadata'];
    const known = [
      { ...first, template: given, stored: { metadata, revision: 1 } },
      { ...second, template: stored },
    ];
    const reader = { get: () => undefined };
    const decided = decideRevision({ metadata: { name: 'web' } }, given, known, reader, stored);
    expect([decided.update.name, decided.write]).toEqual([name, write]);
  },
);
