import { describe, expect, it } from 'vitest';
import { yurtAppDaemons, type NodePool, type PoolWorkload } from '@atoll/api';
import type { KubeObject, Resource, Stored } from '@atoll/kube';
import { readTemplate } from '../../pool-workload/template.ts';
import { child, pool, withImage, workload } from '../admission.fixture.ts';
import { trialsOf, type PoolTrial } from './trials.ts';

const now = Date.UTC(2026, 0, 1);

function trials(
  pools: readonly Stored<NodePool>[],
  occupied: readonly string[] = [],
  object: Stored<PoolWorkload> = workload(),
  at = now,
): readonly PoolTrial[] {
  const given = readTemplate(object.spec);
  if (!given.ok) throw new Error(given.problem);
  const resource = yurtAppDaemons as Resource<KubeObject>;
  return trialsOf({
    owner: { resource, object },
    template: given.template,
    replicas: given.replicas,
    pools: pools.map(({ metadata: { name }, spec }) => ({ name, taints: spec?.taints ?? [] })),
    children: new Map(occupied.map((name) => [name, child(name)])),
    now: at,
  });
}

const thousand = Array.from({ length: 1_000 }, (_, index) => pool(`pool-${index}`));
const tainted = { taints: [{ key: 'far', effect: 'NoSchedule' as const }] };
const shape = (each: PoolTrial) => [each.pool, each.uid];

describe('the children that are tried', () => {
  it('are one for a thousand pools that are alike, and one more for those that have a child', () => {
    expect(trials(thousand).map(shape)).toEqual([['pool-0', undefined]]);
    expect(trials(thousand, ['pool-7', 'pool-8']).map(shape)).toEqual([
      ['pool-7', undefined],
      ['pool-7', 'uid-web-pool-7'],
    ]);
  });

  it('are one more for pools with other taints, and never more than three renderings', () => {
    const two = [...thousand.slice(0, 3), pool('far-1', tainted), pool('far-2', tainted)];
    expect(trials(two).map(shape)).toEqual([
      ['pool-0', undefined],
      ['far-1', undefined],
    ]);
    const each = thousand
      .slice(0, 9)
      .map(({ metadata: { name } }) => pool(name, { taints: [{ key: name, effect: 'NoExecute' as const }] }));
    expect(trials(each)).toHaveLength(3);
  });

  it('are one change in all, of a child of the largest group that has one', () => {
    const pools = [...thousand.slice(0, 3), pool('far-1', tainted), pool('far-2', tainted)];
    expect(trials(pools, ['far-2', 'pool-1']).map((each) => [...shape(each), each.occupied])).toEqual([
      ['pool-1', undefined, true],
      ['far-2', undefined, true],
      ['pool-1', 'uid-web-pool-1', true],
    ]);
    expect(trials(pools, ['far-2']).map((each) => [...shape(each), each.occupied])).toEqual([
      ['pool-0', undefined, false],
      ['far-2', undefined, true],
      ['far-2', 'uid-web-far-2', true],
    ]);
  });

  it('are one for a pool that does not exist where none is selected', () => {
    expect(trials([]).map(shape)).toEqual([[undefined, undefined]]);
  });

  it('carry all that a child of the pool carries', () => {
    const [first] = trials([pool('far-1', tainted)]);
    expect(first?.object).toMatchObject({
      kind: 'Deployment',
      metadata: { namespace: 'shop', labels: { app: 'web', 'apps.openyurt.io/pool-name': 'far-1' } },
      spec: {
        template: {
          spec: {
            nodeSelector: { 'apps.openyurt.io/nodepool': 'far-1' },
            tolerations: [{ key: 'far', effect: 'NoSchedule' }],
          },
        },
      },
    });
  });
});

describe('the key of a trial', () => {
  const keys = (...given: Parameters<typeof trials>): readonly string[] =>
    trials(...given).map(({ key }) => key);
  const base = keys([pool('north')]);

  it('is the same for another pool, another name and another time', () => {
    expect(keys([pool('south')])).toEqual(base);
    expect(keys([pool('north')], [], workload(), now + 5_000)).toEqual(base);
  });

  it.each<readonly [string, readonly string[]]>([
    ['other taints', keys([pool('north', tainted)])],
    [
      'another template',
      keys([pool('north')], [], workload({}, 'deploymentTemplate', withImage('nginx:1.28'))),
    ],
    ['another kind', keys([pool('north')], [], workload({}, 'statefulSetTemplate'))],
    ['replicas', keys([pool('north')], [], workload({}, 'deploymentTemplate', { replicas: 3 }))],
    ['a child that is there', keys([pool('north')], ['north']).slice(1)],
  ])('is another for %s', (_, other) => {
    expect(other).not.toEqual(base);
  });
});
