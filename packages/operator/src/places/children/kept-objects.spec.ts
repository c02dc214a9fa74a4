import { nodePools } from '@atoll/api';
import { configMaps, type ConfigMap, type KubeObject, type Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { hold } from '../../engine/hold.ts';
import { seenAs } from '../../engine/steps/seen.ts';
import { decideObjects, planObjects, reportObjects, type ObjectsToKeep } from './kept-objects.ts';

const now = Date.parse('2026-11-01T10:00:00Z');

function stored<T extends KubeObject>(object: T, uid: string): Stored<T> {
  const metadata = {
    ...object.metadata,
    uid,
    resourceVersion: '7',
    creationTimestamp: '2026-11-01T09:00:00Z',
  };
  return { ...object, metadata } as unknown as Stored<T>;
}

function configMap(place: string, value: string): ConfigMap {
  return { metadata: { name: `web-${place}`, namespace: 'ns', labels: { place } }, data: { value } };
}

function kept(
  wanted: readonly ConfigMap[],
  present: readonly ConfigMap[],
  more: Partial<ObjectsToKeep> = {},
) {
  const placeOf = ({ metadata }: KubeObject): string => metadata.labels?.['place'] ?? '';
  return decideObjects({
    owner: {
      resource: nodePools,
      object: stored({ metadata: { name: 'web', namespace: 'ns', generation: 3 } }, 'u'),
    },
    resource: configMaps,
    wanted: new Map(wanted.map((object) => [placeOf(object), object])),
    present: present.map((object) => stored(object, `uid-${object.metadata.name}`)),
    placeOf,
    certain: true,
    ...more,
  });
}

const unreadable = hold('InvalidSelector', 'person', [], { problem: 'spec.selector: no selector' }, true);

function stepsOf(decided: ReturnType<typeof kept>): readonly string[] {
  const plan = planObjects(decided, (place) => seenAs(nodePools, { name: place }, undefined));
  return plan.stages.flatMap(({ steps }) =>
    steps.map((step) => `${step.do} ${step.target}: ${step.why.message}`),
  );
}

describe('objects that are kept in places', () => {
  it('are created where they are missing, written where they differ and deleted where nothing is wanted', () => {
    const wanted = [configMap('a', 'new'), configMap('b', 'new'), configMap('c', 'new')];
    const present = [configMap('b', 'old'), configMap('c', 'new'), configMap('d', 'old')];
    expect(stepsOf(kept(wanted, present))).toEqual([
      'create a: a has no ConfigMap',
      'apply b: the ConfigMap of b differs from the spec',
      'delete d: d is not selected any more',
    ]);
  });

  it('may hold more than is wanted', () => {
    const more = { ...configMap('a', 'x'), data: { value: 'x', more: 'of somebody else' } };
    expect(stepsOf(kept([configMap('a', 'x')], [more]))).toEqual([]);
  });

  it('are deleted only where the place is read live as it was seen', () => {
    const seen = seenAs(nodePools, { name: 'd' }, undefined);
    const plan = planObjects(kept([], [configMap('d', 'old')]), () => seen);
    expect(plan.stages[0]?.steps).toMatchObject([{ do: 'delete', uid: 'uid-web-d', restsOn: [seen] }]);
  });

  it.each<readonly [string, Partial<ObjectsToKeep>]>([
    ['not all has been read', { certain: false }],
    [
      'their owner is being deleted',
      {
        owner: {
          resource: nodePools,
          object: stored({ metadata: { name: 'web', deletionTimestamp: '2026-11-01T10:00:00Z' } }, 'u'),
        },
      },
    ],
    ['the selector cannot be read', { holds: [unreadable] }],
  ])('stay as they are while %s', (_, more) => {
    expect(stepsOf(kept([configMap('a', 'new')], [configMap('d', 'old')], more))).toEqual([]);
  });

  it.each<readonly [string, ReturnType<typeof kept>, object]>([
    [
      'all are there',
      kept([configMap('a', 'x')], [configMap('a', 'x')]),
      { status: 'True', message: '1 of 1 pools have their ConfigMap', observedGeneration: 3 },
    ],
    ['one is missing', kept([configMap('a', 'x')], []), { status: 'False', reason: 'RollingOut' }],
    [
      'not all has been read',
      kept([configMap('a', 'x')], [], { certain: false }),
      { status: 'Unknown', reason: 'NotYetObserved' },
    ],
    [
      'the selector cannot be read',
      kept([], [configMap('a', 'x')], { holds: [unreadable] }),
      {
        status: 'False',
        reason: 'InvalidSelector',
        message: expect.stringContaining('spec.selector') as unknown,
      },
    ],
  ])('are reported where %s', (_, decided, ready) => {
    const [write] = reportObjects(decided, 'pools', { configMaps: 1 }, { results: [] }, now);
    expect(Object.keys(write?.status ?? {}).includes('observedGeneration')).toBe(decided.certain);
    expect(write?.status).toMatchObject({
      configMaps: 1,
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', ...ready })]) as unknown,
    });
  });
});
