import { nodePools } from '@atoll/api';
import { kinds } from '@atoll/api/schema';
import { configMaps, pods } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { checkDefinitions } from './check-definitions.ts';
import { defineKind, type KindDefinition } from './kind-definition.ts';
import { kindDefinitions } from './kind-definitions.ts';
import type { CacheName } from '../caches.ts';

function kind(
  reads: readonly CacheName[],
  writes: KindDefinition['writes'],
  name = 'spread',
): KindDefinition {
  const neverAsked = async (): Promise<never> => Promise.reject(new Error('not installed here'));
  return defineKind({
    name,
    aliases: [],
    onByDefault: true,
    resource: nodePools,
    schema: neverAsked,
    reads,
    writes,
    create: () => {
      throw new Error('not made here');
    },
  });
}

describe('the definitions of kinds', () => {
  it('fit together as they are shipped', () => {
    expect(() => checkDefinitions(kindDefinitions)).not.toThrow();
  });

  it('name the schemas that are installed', async () => {
    const schemas = await Promise.all(
      kindDefinitions.map(async ({ schema, parts }) => [
        ...(schema === undefined ? [] : [await schema()]),
        ...(parts === undefined ? [] : await parts()),
      ]),
    );
    expect(schemas.flat()).toEqual(kinds);
    for (const [index, { resource, schema, parts }] of kindDefinitions.entries()) {
      if (schema === undefined && parts === undefined) continue;
      expect(schemas[index]?.[0]?.resource).toEqual(resource);
    }
  });

  it.each<readonly [string, readonly KindDefinition[], string]>([
    [
      'writes that go into no cache',
      [kind(['nodePools'], [{ resource: configMaps, verbs: ['create'] }])],
      'spread writes configmaps and reads no cache of it, so its next plan would not see the write: add a cache to "reads"',
    ],
    [
      'writes that would go into one of two caches',
      [kind(['nodePools', 'poolPods', 'subsetPods'], [{ resource: pods, verbs: ['delete'] }])],
      'spread writes pods and reads several caches of it (poolPods, subsetPods): name in "seenIn" the one that holds what it writes',
    ],
    [
      'writes that are seen in a cache that is not read',
      [kind(['nodePools', 'poolPods'], [{ resource: pods, verbs: ['delete'], seenIn: 'subsetPods' }])],
      'spread declares that it sees its writes of pods in subsetPods, and reads only poolPods of it',
    ],
    [
      'a kind that does not read its own objects',
      [kind([], [])],
      'spread reads no cache of its own kind nodepools.apps.openyurt.io: add one to "reads"',
    ],
    [
      'two kinds of one name',
      [kind(['nodePools'], []), kind(['nodePools'], [])],
      'two kinds are called spread',
    ],
  ])('are refused for %s', (_, definitions, message) => {
    expect(() => checkDefinitions(definitions)).toThrow(message);
  });
});
