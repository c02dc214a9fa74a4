import { expect, it } from 'vitest';
import { deployments, nodes } from '../objects/resources.ts';
import { eventSubject } from './event-subject.ts';

const metadata = { name: 'web', uid: 'u', resourceVersion: '1', creationTimestamp: '' };

it('an object is named in the version that kubectl uses, and with its namespace where it has one', () => {
  const later = { ...deployments, preferredVersion: 'v2' };
  expect(eventSubject(later, { metadata: { ...metadata, namespace: 'edge' } })).toEqual({
    apiVersion: 'apps/v2',
    kind: 'Deployment',
    namespace: 'edge',
    name: 'web',
    uid: 'u',
  });
  expect(eventSubject(nodes, { metadata })).toEqual({
    apiVersion: 'v1',
    kind: 'Node',
    name: 'web',
    uid: 'u',
  });
});
