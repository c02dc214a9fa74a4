import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { labels, nodePools, yurtAppDaemons } from '@atoll/api';
import { deployments, type Taint } from '@atoll/kube';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import {
  childIn,
  editPods,
  editTemplate,
  rollOut,
  webKey,
  workedExample,
} from '../../../simulation/examples/worked-example.ts';
import { createPoolWorkloadController, yurtAppDaemonKind } from '../controller.ts';

const maintenance: Taint = { key: 'maintenance', value: 'x', effect: 'NoExecute' };
const tolerated = { ...maintenance, operator: 'Equal' };
const own = { key: 'k', operator: 'Exists' };

let world: FreshWorld;

beforeEach(() => {
  ({ world } = workedExample());
  reconciled();
  taint([maintenance]);
  reconciled();
});

describe('the pods of a child whose pool loses a taint', () => {
  test('keep its toleration, because to take it out would replace them', () => {
    expect(tolerations()).toEqual([own, tolerated]);
    const before = childIn(world, 'bj')?.spec;
    taint([]);
    reconciled();
    expect(childIn(world, 'bj')?.spec).toEqual(before);
    expect(readyOf()).toBe('True');
    taint([maintenance]);
    reconciled();
    expect(childIn(world, 'bj')?.spec).toEqual(before);
  });

  test('keep it whatever else of the child is changed and put back', () => {
    taint([]);
    reconciled();
    const before = childIn(world, 'bj')?.spec;
    editChild((spec) => ({ ...spec, containers: [{ name: 'web', image: 'evil:1' }] }));
    reconciled();
    expect(childIn(world, 'bj')?.spec).toEqual(before);
    editTemplate(world, (spec) => ({ ...spec, replicas: 5 }));
    reconciled();
    expect(childIn(world, 'bj')?.spec).toEqual({ ...before, replicas: 5 });
  });

  test('keep it where the template changes in what is none of its pods', () => {
    taint([]);
    const before = childIn(world, 'bj')?.spec?.template;
    editTemplate(world, (spec) => ({ ...spec, minReadySeconds: 5 }));
    reconciled();
    expect(childIn(world, 'bj')?.spec).toMatchObject({ minReadySeconds: 5, template: before });
  });

  test('lose it when their template changes', () => {
    taint([]);
    reconciled();
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
    reconciled();
    expect(tolerations()).toEqual([own]);
  });

  test('are replaced once where two who write the taints of the pool take turns', () => {
    const other: Taint = { ...maintenance, value: 'y' };
    taint([other]);
    reconciled();
    expect(tolerations()).toEqual([own, tolerated, { ...other, operator: 'Equal' }]);
    const before = childIn(world, 'bj')?.spec;
    for (const taints of [[maintenance], [other], [maintenance]]) {
      taint(taints);
      reconciled();
      expect(childIn(world, 'bj')?.spec).toEqual(before);
    }
  });

  test('lose it when there are too many of them', () => {
    const since = (hour: number): Taint => ({ key: 'since', value: `${hour}`, effect: 'NoSchedule' });
    taint(Array.from({ length: 62 }, (_, hour) => since(hour)));
    reconciled();
    expect(tolerations()).toHaveLength(64);
    taint([since(62)]);
    reconciled();
    expect(tolerations()).toEqual([own, { ...since(62), operator: 'Equal' }]);
  });

  test('lose what somebody adds to their tolerations', () => {
    taint([]);
    reconciled();
    editChild((spec) => ({ ...spec, tolerations: [own, tolerated, { operator: 'Exists' }] }));
    reconciled();
    expect(tolerations()).toEqual([own]);
  });
});

describe('a toleration that the template had and lost', () => {
  beforeEach(() => {
    editPods(world, (spec) => ({ ...spec, tolerations: [own, tolerated] }));
    reconciled();
  });

  test('goes, also where the pool had its taint before', () => {
    taint([]);
    reconciled();
    editPods(world, (spec) => ({ ...spec, tolerations: [own] }));
    reconciled();
    expect(tolerations()).toEqual([own]);
  });

  test('goes where the pool loses its taint at the same time', () => {
    taint([]);
    editPods(world, (spec) => ({ ...spec, tolerations: [own] }));
    reconciled();
    expect(tolerations()).toEqual([own]);
  });

  test('stays as that of a taint that the pool has', () => {
    const before = childIn(world, 'bj')?.spec?.template;
    editPods(world, (spec) => ({ ...spec, tolerations: [own] }));
    reconciled();
    expect(childIn(world, 'bj')?.spec?.template).toEqual(before);
    taint([]);
    reconciled();
    expect(childIn(world, 'bj')?.spec?.template).toEqual(before);
  });
});

const someTaints = fc.subarray<Taint>([
  { key: 'a', effect: 'NoSchedule' },
  { key: 'a', value: '1', effect: 'NoExecute' },
  { key: 'b', value: '1', effect: 'NoSchedule' },
]);
const change = fc.oneof(
  fc.record({ does: fc.constant('taint' as const), taints: someTaints }),
  fc.record({ does: fc.constant('tolerations' as const), taints: someTaints }),
  fc.record({ does: fc.constant('minReadySeconds' as const), seconds: fc.nat(2) }),
);

test('whatever changes, pods bear the taints of their pool, and no taint that goes replaces them', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      ({ world } = workedExample());
      let taints: readonly Taint[] = [];
      let given: readonly Taint[] = [];
      editPods(world, (spec) => ({ ...spec, tolerations: [] }));
      reconciled();
      for (const each of changes) {
        const before = childIn(world, 'bj')?.spec?.template;
        const borne = new Set(tolerations().map(keyOf));
        if (each.does === 'taint') taint((taints = each.taints));
        else if (each.does === 'tolerations') tolerateInTemplate((given = each.taints));
        else editTemplate(world, (spec) => ({ ...spec, minReadySeconds: each.seconds }));
        reconciled();
        const after = childIn(world, 'bj')?.spec?.template;
        const asked = new Set([...taints, ...given].map(keyOf));
        const tolerated = new Set(tolerations().map(keyOf));
        expect(tolerated).toEqual(new Set([...tolerated, ...asked]));
        const mayStay = each.does !== 'tolerations' && [...asked].every((key) => borne.has(key));
        expect(mayStay ? after : undefined).toEqual(mayStay ? before : undefined);
        const isAnother = each.does === 'tolerations' && labelOf(after) !== labelOf(before);
        expect(isAnother ? tolerated : asked).toEqual(asked);
      }
    }),
    { numRuns: 25 },
  );
});

function tolerateInTemplate(taints: readonly Taint[]): void {
  const tolerations = taints.map((each) => ({ ...each, operator: 'Equal' }));
  editPods(world, (spec) => ({ ...spec, tolerations }));
}

function keyOf({ key = '', value = '', effect = '' }: Partial<Taint>): string {
  return `${key}=${value}:${effect}`;
}

function labelOf(pods: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } } = {}) {
  return pods.metadata?.labels?.[labels.controllerRevisionHash];
}

function taint(taints: readonly Taint[]): void {
  world.edit(nodePools, { name: 'bj' }, (pool) => ({ ...pool, spec: { taints } }));
}

/** By an operator that has just started. */
function reconciled(): void {
  const controller = createPoolWorkloadController(yurtAppDaemonKind, world.readers);
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
}

function tolerations() {
  return childIn(world, 'bj')?.spec?.template.spec?.tolerations ?? [];
}

function editChild(change: (pods: object) => object): void {
  const name = childIn(world, 'bj')?.metadata.name ?? '';
  world.edit(deployments, { namespace: 'ns', name }, (found) => {
    const template = { ...found.spec?.template, spec: change(found.spec?.template.spec ?? {}) };
    return { ...found, spec: { ...found.spec, template } };
  });
}

function readyOf(): string | undefined {
  const { conditions } = world.get(yurtAppDaemons, webKey).status ?? {};
  return conditions?.find(({ type }) => type === 'Ready')?.status;
}
