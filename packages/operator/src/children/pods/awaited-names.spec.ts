import type { Pod, Stored } from '@atoll/kube';
import { expect, it } from 'vitest';
import { awaitedNames } from './awaited-names.ts';

function pod(name: string, minute: number, ready: boolean): Stored<Pod> {
  const creationTimestamp = `2026-01-01T00:0${minute}:00Z`;
  const metadata = { name, namespace: 'edge', uid: name, resourceVersion: '1', creationTimestamp };
  return { metadata, status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] } };
}

it('the oldest pod that is not Ready comes first, and what is Ready last', () => {
  const pods = [pod('a', 1, true), pod('b', 3, false), pod('d', 2, false), pod('c', 2, false)];
  expect(awaitedNames(pods)).toEqual(['c', 'd', 'b', 'a']);
});
