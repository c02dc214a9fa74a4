import { expect, test } from 'vitest';
import { annotations } from '@atoll/api';
import { byService, type ChildWorkload, type OwnedChild } from './child.ts';
import { neededRevisions } from './revisions/needed-revisions.ts';
import type { Revision } from './revisions/revision.ts';

function child(
  name: string,
  { created = '2026-11-01T10:00:00Z', serving = 0, ...more }: Partial<Shape> = {},
): OwnedChild {
  const { labels = {}, notes = {}, podLabels = {} } = more;
  const metadata = { name, uid: name, resourceVersion: '1', creationTimestamp: created, labels };
  const object: ChildWorkload = {
    metadata: { ...metadata, annotations: notes },
    spec: { template: { metadata: { labels: podLabels } } },
    status: { availableReplicas: serving },
  };
  return { kind: 'Deployment', object: object as OwnedChild['object'] };
}

interface Shape {
  readonly created: string;
  readonly serving: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly notes: Readonly<Record<string, string>>;
  readonly podLabels: Readonly<Record<string, string>>;
}

const later = '2026-11-01T10:00:01Z';

test.each([
  ['of one age the first by name', child('a'), child('b')],
  ['the older one', child('b'), child('a', { created: later })],
])('of duplicate children, in whatever order they are listed, %s', (_which, stays, goes) => {
  expect([goes, stays].sort(byService)).toEqual([stays, goes]);
  expect([stays, goes].sort(byService)).toEqual([stays, goes]);
});

test('of duplicate children stays the one that serves, whatever its age and its name', () => {
  const [idle, serving] = [child('a'), child('b', { created: later, serving: 1 })];
  expect([idle, serving].sort(byService)).toEqual([serving, idle]);
  expect([serving, idle].sort(byService)).toEqual([serving, idle]);
});

test('a revision is needed while it is wanted or current, or a child, its pods or its memory name it', () => {
  const revision = (label: string): Revision => {
    const template = { kind: 'Deployment', labels: {}, annotations: {}, spec: {} };
    return { name: `web-${label}`, label, number: 1, template, stored: undefined };
  };
  const history = ['old', 'current', 'child', 'pods', 'memory'].map(revision);
  const children = [
    child('a', { labels: { revision: 'child' } }),
    child('b', { podLabels: { revision: 'pods' } }),
    child('c', { notes: { [annotations.podRevision]: 'memory' } }),
  ];
  const needed = neededRevisions(revision('wanted'), history, 'web-current', children, 'revision');
  expect([...needed].sort()).toEqual(['child', 'current', 'memory', 'pods', 'wanted']);
});
