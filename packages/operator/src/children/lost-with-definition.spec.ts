import { nodePools } from '@atoll/api';
import { definitionName, wholeObject } from '@atoll/kube';
import { project } from '@atoll/kube/testing';
import { describe, expect, it } from 'vitest';
import { caches } from '../caches.ts';
import { isAsSeen } from '../engine/steps/seen.ts';
import { definitionSeen, type InstalledDefinition } from './lost-with-definition.ts';

const key = { name: definitionName(nodePools) };
const made = '2026-11-01T10:00:00Z';

function definition(more: object = {}): InstalledDefinition {
  const metadata = { ...key, uid: 'd', resourceVersion: '1', creationTimestamp: made, ...more };
  return { metadata, spec: {} } as unknown as InstalledDefinition;
}

describe('a definition, read live,', () => {
  const inCache = (more: object = {}) =>
    project(caches.definitionOfNodePools.projection ?? wholeObject(), definition(more) as never);
  const isStillSo = (live: InstalledDefinition, more: object = {}) =>
    definitionSeen(inCache(more) as never).every((seen) => isAsSeen(seen, live));

  it('is as it was seen also with labels, as Helm gives it', () => {
    const more = { labels: { 'app.kubernetes.io/managed-by': 'Helm' } };
    expect(isStillSo(definition(more), more)).toBe(true);
  });

  it('is not as it was seen where it is being deleted, which its generation does not count', () => {
    expect(isStillSo(definition({ generation: 1 }), { generation: 1 })).toBe(true);
    const deleting = { generation: 1, resourceVersion: '2', deletionTimestamp: made };
    expect(isStillSo(definition(deleting), { generation: 1 })).toBe(false);
  });
});
