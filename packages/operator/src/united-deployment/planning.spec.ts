import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { annotations, labels, unitedDeployments, type Subset } from '@atoll/api';
import { controllerOf } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import type { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import {
  editSpec,
  rollOut,
  setImage,
  spread,
  web,
  webKey,
  zone,
} from '../../simulation/examples/spread-example.ts';
import type { ChildWorkload } from '../children/child.ts';
import { childKinds, kindFacts, type ChildKind } from './subsets/child-kind.ts';

const names = ['a', 'b', 'c', `long-${'x'.repeat(58)}`];

const subset = fc.record({
  name: fc.constantFrom(...names),
  replicas: fc.option(fc.oneof(fc.nat(4), fc.constantFrom('0%', '33%', '50%', '100%')), { nil: undefined }),
});
const action = fc.oneof(
  fc.record({
    does: fc.constant('subsets' as const),
    subsets: fc.uniqueArray(subset, { selector: ({ name }) => name, minLength: 1, maxLength: 3 }),
  }),
  fc.record({ does: fc.constant('scale' as const), replicas: fc.nat(9) }),
  fc.record({
    does: fc.constant('template' as const),
    kind: fc.constantFrom(...childKinds),
    image: fc.constantFrom('web:1', 'web:2'),
  }),
  fc.record({ does: fc.constant('partition' as const), a: fc.integer({ min: -1, max: 5 }) }),
  fc.record({ does: fc.constant('removal' as const), waits: fc.boolean() }),
  fc.record({
    does: fc.constant('other writer' as const),
    subset: fc.constantFrom(...names),
    how: fc.constantFrom('delete', 'orphan', 'drift', 'strip'),
  }),
  fc.record({ does: fc.constant('ready' as const) }),
  fc.record({ does: fc.constant('reconcile' as const) }),
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

describe('after any history', () => {
  test('the operator comes to rest with exactly one child for each subset, the sum is the total, and a second reconcile plans nothing', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 12 }), (actions) => {
        const { world, controller } = lived(actions);
        for (let round = 0; round < 3; round += 1) {
          world.untilSteady(controller, 'ns/web');
          rollOut(world);
        }
        world.untilSteady(controller, 'ns/web');
        expect(world.untilSteady(controller, 'ns/web')).toEqual([]);
        const { spec, status } = world.get(unitedDeployments, webKey);
        const wanted = (spec.topology?.subsets ?? []).map(({ name }) => name);
        const owned = ownChildren(world);
        expect(owned.map((child) => child.subset).toSorted()).toEqual(wanted.toSorted());
        expect(owned.reduce((sum, { replicas }) => sum + replicas, 0)).toBe(spec.replicas);
        expect(status?.subsetStatuses?.map(({ name }) => name)).toEqual(wanted);
        expect(status?.replicas).toBe(spec.replicas);
        const ready = status?.conditions?.find(({ type }) => type === 'Ready');
        const refused =
          (spec.updateStrategy?.manualUpdate?.partitions?.['a'] ?? 0) < 0 && wanted.includes('a');
        expect(`${ready?.status} ${ready?.reason}`).toBe(
          refused ? 'False InvalidPartition' : 'True RolloutComplete',
        );
      }),
      { numRuns: 80 },
    );
  });

  test('no reconcile leaves two children of one kind for a subset, or takes the only one of a subset that is wanted', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 12 }), (actions) => {
        const { world, controller } = lived(actions);
        const wanted = new Set(
          (world.get(unitedDeployments, webKey).spec.topology?.subsets ?? []).map(({ name }) => name),
        );
        const before = ownChildren(world);
        const { plan } = world.reconcile(controller, 'ns/web');
        const after = ownChildren(world);
        const keys = after.map(({ kind, subset: name }) => `${kind} ${name}`);
        expect(new Set(keys).size).toBe(keys.length);
        const deleted = plan.stages
          .flatMap(({ steps }) => steps)
          .flatMap((step) => (step.do === 'delete' ? [step.key.name] : []));
        for (const { name, subset: of } of before) {
          if (!deleted.includes(name) || !wanted.has(of)) continue;
          expect(after.some((child) => child.subset === of)).toBe(true);
        }
      }),
      { numRuns: 80 },
    );
  });
});

interface OwnChild {
  readonly kind: ChildKind;
  readonly name: string;
  readonly subset: string;
  readonly replicas: number;
}

function ownChildren(world: FreshWorld): readonly OwnChild[] {
  const { uid } = world.get(unitedDeployments, webKey).metadata;
  return childKinds.flatMap((kind) =>
    world
      .list(kindFacts[kind].resource as Resource<ChildWorkload>)
      .filter((child) => controllerOf(child)?.uid === uid)
      .map(({ metadata, spec }) => ({
        kind,
        name: metadata.name,
        subset: metadata.labels?.[labels.subsetName] ?? '',
        replicas: spec?.replicas ?? 1,
      })),
  );
}

function lived(actions: readonly Action[]) {
  const { world, controller } = spread(web([zone('a'), zone('b', { replicas: 1 })]));
  world.untilSteady(controller, 'ns/web');
  for (const each of actions) act(world, each, () => world.reconcile(controller, 'ns/web'));
  return { world, controller };
}

function act(world: FreshWorld, each: Action, reconcile: () => unknown): void {
  switch (each.does) {
    case 'subsets':
      editSpec(world, () => ({ topology: { subsets: each.subsets.map(subsetOf) } }));
      return;
    case 'scale':
      editSpec(world, () => ({ replicas: each.replicas }));
      return;
    case 'template': {
      const { template } = web(undefined, each.kind).spec;
      editSpec(world, () => ({ template }));
      setImage(world, each.image, each.kind);
      return;
    }
    case 'partition':
      editSpec(world, () => ({
        updateStrategy: { type: 'Manual', manualUpdate: { partitions: { a: each.a } } },
      }));
      return;
    case 'removal':
      world.edit(unitedDeployments, webKey, (found) => ({
        ...found,
        metadata: {
          ...found.metadata,
          annotations: each.waits ? { [annotations.subsetRemoval]: 'AfterReplacement' } : {},
        },
      }));
      return;
    case 'other writer':
      otherWriter(world, each.subset, each.how);
      return;
    case 'ready':
      rollOut(world);
      return;
    case 'reconcile':
      reconcile();
  }
}

function subsetOf({ name, replicas }: { name: string; replicas?: string | number | undefined }): Subset {
  return zone(name, replicas === undefined ? {} : { replicas });
}

function otherWriter(world: FreshWorld, of: string, how: string): void {
  for (const { kind, name } of ownChildren(world).filter((child) => child.subset === of)) {
    const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
    const key = { namespace: 'ns', name };
    if (how === 'delete') world.remove(resource as Resource<KubeObject>, key);
    else {
      world.edit(resource, key, (found) => {
        const { metadata, spec } = found;
        if (how === 'orphan') return { ...found, metadata: { ...metadata, ownerReferences: [] } };
        if (how === 'strip') return { ...found, metadata: { ...metadata, annotations: {} } };
        return { ...found, spec: { ...spec, replicas: 17 } };
      });
    }
  }
}
