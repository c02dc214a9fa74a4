import { describe, expect, test } from 'vitest';
import { annotations, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { keyOf, type Resource, type Stored } from '@atoll/kube';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import {
  childOf,
  conditionsOf,
  removePods,
  rollOut,
  statusOf,
  web,
  webKey,
  zone,
} from '../../../simulation/examples/spread-example.ts';
import type { ChildWorkload } from '../../children/child.ts';
import { kindFacts, type ChildKind } from '../subsets/child-kind.ts';
import { createUnitedDeploymentController } from '../controller.ts';
import { putLeftByKruise } from '../../../simulation/examples/left-by-kruise.ts';

const fromFive = { ordinals: { start: 5 } };
const withoutOne = { reserveOrdinals: [1] };
/** A pod of the first child. */
const firstOfA = 'web-a-x7k2p-cloneset-0';
const kinds = [
  ['StatefulSet', fromFive],
  ['AdvancedStatefulSet', withoutOne],
] as const;

describe.each(kinds)('the ordinals that Kruise before 1.8 did not give to a %s', (kind, given) => {
  test('are not applied at the take-over, and the hold shows what applies them', () => {
    const { world, controller, ordinals, stays } = left(kind, given, {});
    stays();
    expect(ordinals()).toEqual([{}, {}]);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.stages).toEqual([]);
    const [field] = Object.keys(given);
    const path = `spec.template.${kindFacts[kind].member}.spec.${field}`;
    expect(plan.inspect).toEqual([]);
    expect(plan.holds).toMatchObject([
      {
        reason: 'OldTemplateKept',
        bad: true,
        targets: ['a', 'b'],
        problem: expect.stringContaining(`${path} is set (child: none)`),
      },
    ]);
    expect(conditionsOf(world)).toMatchObject({
      Ready: 'False OldTemplateKept',
      UnitedDeploymentUpdated: expect.stringContaining('True'),
    });
    expect(statusOf(world)).toMatchObject({ updatedReplicas: 6 });
  });

  test('stay so between any two writes of operators that start, and with another image', () => {
    const { world, ordinals, images, stays, edit } = left(kind, given, {});
    for (let reconciled = 0; reconciled < 6; reconciled += 1) {
      world.reconcile(createUnitedDeploymentController(world.readers), 'ns/web');
    }
    edit({
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'web:2' }] },
      },
    });
    stays();
    expect([ordinals(), images()]).toEqual([
      [{}, {}],
      ['web:2', 'web:2'],
    ]);
    const { currentRevision, updatedRevision } = statusOf(world);
    expect(currentRevision).toBe(updatedRevision);
  });

  test('are applied where a person asks for the template', () => {
    const { world, ordinals, stays } = left(kind, given, {});
    stays();
    world.edit(unitedDeployments, webKey, (found) => ({
      ...found,
      metadata: { ...found.metadata, annotations: { [annotations.applyTemplate]: 'true' } },
    }));
    stays();
    expect(ordinals()).toEqual([given, given]);
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
  });

  test.each([true, false])(
    'end with other ones in the template, also before the take-over: %s',
    (isBefore) => {
      const { world, ordinals, stays, edit } = left(kind, given, {});
      const other = kind === 'StatefulSet' ? { ordinals: { start: 7 } } : { reserveOrdinals: [2] };
      if (!isBefore) stays();
      edit(other);
      stays();
      expect(ordinals()).toEqual([other, other]);
      expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
      edit(given);
      stays();
      expect(ordinals()).toEqual([given, given]);
    },
  );

  test('are nothing that is kept once the template leaves them out', () => {
    const { world, ordinals, stays, edit } = left(kind, given, {});
    stays();
    edit({ ordinals: undefined, reserveOrdinals: undefined });
    stays();
    expect(ordinals()).toEqual([{}, {}]);
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
    expect(world.list(resourceOf(kind))[0]?.metadata.annotations).not.toHaveProperty([
      annotations.keptOrdinals,
    ]);
  });

  test('are those of a child that is made anew', () => {
    const { world, ordinals, stays } = left(kind, given, {});
    stays();
    const [child] = world.list(resourceOf(kind));
    if (child === undefined) throw new Error('no child');
    world.remove(resourceOf(kind), keyOf(child));
    stays();
    expect(ordinals()).toEqual(expect.arrayContaining([{}, given]));
  });
});

describe('the pods to delete that Kruise before 1.8 did not give to a CloneSet', () => {
  const naming = (...podsToDelete: readonly string[]) => ({
    scaleStrategy: { maxUnavailable: 1, podsToDelete },
  });

  test('stay at the take-over, and until others are named', () => {
    const { world, controller, edit, stays, scaleStrategies } = left('CloneSet', naming(firstOfA), {
      scaleStrategy: {},
    });
    for (let reconciled = 0; reconciled < 6; reconciled += 1) {
      world.reconcile(createUnitedDeploymentController(world.readers), 'ns/web');
    }
    stays();
    expect(scaleStrategies()).toEqual([{ maxUnavailable: 1 }, { maxUnavailable: 1 }]);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.stages).toEqual([]);
    expect(plan.holds).toMatchObject([
      {
        reason: 'OldTemplateKept',
        targets: ['a'],
        problem: expect.stringContaining('cloneSetTemplate.spec.scaleStrategy'),
      },
    ]);
    edit(naming('web-a-2'));
    stays();
    expect(scaleStrategies()).toEqual([1, 2].map(() => ({ maxUnavailable: 1, podsToDelete: ['web-a-2'] })));
  });

  test('that the child names by itself are no part of what is applied', () => {
    const { world } = left('CloneSet', naming('web-a-1'), { scaleStrategy: { podsToDelete: ['web-a-3'] } });
    world.reconcile(createUnitedDeploymentController(world.readers), 'ns/web');
    const { plan } = world.reconcile(createUnitedDeploymentController(world.readers), 'ns/web');
    const steps = plan.stages.flatMap((stage) => stage.steps);
    expect(steps.map((step) => step.do)).toEqual(['apply', 'apply']);
    expect(
      JSON.stringify(steps.map((step) => (step.do === 'apply' ? step.object['spec' as never] : ''))),
    ).not.toContain('podsToDelete');
  });
});

describe('the pods to delete that the template of a CloneSet names', () => {
  const naming = (...podsToDelete: readonly string[]) => ({ scaleStrategy: { podsToDelete } });

  test.each<readonly [string, object]>([
    ['all', { scaleStrategy: {} }],
    ['all, and the field is gone', { scaleStrategy: undefined }],
    ['one', naming('web-a-2')],
    ['all, and a person has named another one in the child', naming('web-a-9')],
  ])('are not named again when the controller of the CloneSet has taken out %s', (_, later) => {
    const { world, controller, edit, editChildren, stays } = left('CloneSet', {}, {});
    stays();
    edit(naming('web-a-1', 'web-a-2'));
    stays();
    editChildren(later);
    expect(world.reconcile(controller, 'ns/web').plan.stages).toEqual([]);
    expect(world.reconcile(createUnitedDeploymentController(world.readers), 'ns/web').plan.stages).toEqual(
      [],
    );
    stays();
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
  });

  test('are not named again where Kruise gave them to the children and they were named there as Atoll came', () => {
    const given = naming('web-a-1');
    const { world, controller, editChildren, stays } = left('CloneSet', given, given);
    stays();
    editChildren({ scaleStrategy: {} });
    expect(world.reconcile(controller, 'ns/web').plan.stages).toEqual([]);
    stays();
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
  });

  test('hold nothing where they were deleted before, and Kruise left them in the template', () => {
    const { world, controller, stays, scaleStrategies } = left('CloneSet', naming('web-a-1'), {
      scaleStrategy: {},
    });
    stays();
    expect(scaleStrategies()).toEqual([{}, {}]);
    expect(world.reconcile(controller, 'ns/web').plan).toMatchObject({ stages: [], holds: [] });
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
  });

  test('hold, and stay, as long as pods of the child are not all seen', () => {
    const { world, controller, stays } = left('CloneSet', naming('web-a-1'), { scaleStrategy: {} });
    stays();
    removePods(world, 'CloneSet', childOf(world, 'a', 'CloneSet').metadata.name);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.stages).toEqual([]);
    expect(plan.holds).toContainEqual(expect.objectContaining({ reason: 'OldTemplateKept', targets: ['a'] }));
  });
});

/** What no release of Kruise before 1.8 gives to a child (reference/uniteddeployment.md 3.5), and deletes no pod when it comes. */
describe.each<readonly [ChildKind, Readonly<Record<string, unknown>>]>([
  [
    'Deployment',
    {
      strategy: { type: 'Recreate' },
      minReadySeconds: 5,
      progressDeadlineSeconds: 60,
      paused: true,
    },
  ],
  [
    'StatefulSet',
    {
      minReadySeconds: 5,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    },
  ],
  [
    'AdvancedStatefulSet',
    {
      minReadySeconds: 5,
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' },
      lifecycle: { inPlaceUpdate: { finalizersHandler: ['example.com/x'] } },
      scaleStrategy: { maxUnavailable: 1 },
    },
  ],
  [
    'CloneSet',
    {
      minReadySeconds: 5,
      lifecycle: { preDelete: { labelsHandler: { x: 'true' } } },
      scaleStrategy: { maxUnavailable: 1 },
    },
  ],
])('what else Kruise before 1.8 did not give to a %s', (kind, given) => {
  test.each(Object.entries(given))('is applied without a change of pods or numbers: %s', (name, value) => {
    const { world, stays } = left(kind, { [name]: value }, { [name]: undefined });
    const pods = () => world.list(resourceOf(kind)).map(({ spec }) => [spec?.template, spec?.replicas]);
    const before = pods();
    stays();
    expect(pods()).toEqual(before);
    for (const { spec } of world.list(resourceOf(kind)))
      expect((spec as Readonly<Record<string, unknown>>)[name]).toEqual(value);
  });
});

describe('ordinals that a person gave to a child', () => {
  test('stay beside others in the template, and a later change is put back', () => {
    const { world, ordinals, stays, editChildren } = left('AdvancedStatefulSet', withoutOne, {
      reserveOrdinals: [1, 2],
    });
    stays();
    expect(ordinals()).toEqual([{ reserveOrdinals: [1, 2] }, { reserveOrdinals: [1, 2] }]);
    editChildren({ reserveOrdinals: [3] });
    stays();
    expect(ordinals()).toEqual([{ reserveOrdinals: [1, 2] }, { reserveOrdinals: [1, 2] }]);
    editChildren(withoutOne);
    stays();
    expect(ordinals()).toEqual([withoutOne, withoutOne]);
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
  });

  test('are put back where Atoll has applied the child', () => {
    const { ordinals, stays, editChildren } = left('StatefulSet', fromFive, fromFive);
    stays();
    editChildren({ ordinals: { start: 6 } });
    stays();
    expect(ordinals()).toEqual([fromFive, fromFive]);
  });
});

test('the first ordinal 0 is the same as none', () => {
  const { world, stays } = left('StatefulSet', { ordinals: { start: 0 } }, {});
  stays();
  expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
});

function resourceOf(kind: ChildKind): Resource<ChildWorkload> {
  return kindFacts[kind].resource as Resource<ChildWorkload>;
}

/** A cluster at rest as a Kruise that was stopped leaves it. */
function left(kind: ChildKind, given: object, inChildren: object) {
  const world = new FreshWorld();
  const resource = resourceOf(kind);
  const { member } = kindFacts[kind];
  const edit = (fields: object) => {
    world.edit(unitedDeployments, webKey, (found) => ({ ...found, ...withOrdinals(found, fields) }));
  };
  const withOrdinals = ({ spec }: UnitedDeployment, fields: object) => {
    const template = spec.template[member];
    return {
      spec: {
        ...spec,
        template: { [member]: { ...template, spec: { ...(template?.spec as object), ...fields } } },
      },
    };
  };
  const plain = web([zone('a'), zone('b')], kind);
  const object = { ...plain, ...withOrdinals(plain, given) } as UnitedDeployment;
  putLeftByKruise(world, kind, object, (child) => {
    const { ordinals: _, reserveOrdinals: __, ...spec } = child.spec ?? {};
    return { ...child, spec: { ...spec, ...inChildren } };
  });
  rollOut(world);
  const controller = createUnitedDeploymentController(world.readers);
  const specs = () => world.list(resource).map(({ spec }) => spec ?? {});
  const editChildren = (fields: object) => {
    for (const child of world.list(resource)) {
      world.edit(resource, keyOf(child), (found: Stored<ChildWorkload>) => ({
        ...found,
        spec: { ...found.spec, ...fields },
      }));
    }
  };
  return {
    world,
    controller,
    edit,
    editChildren,
    scaleStrategies: () => specs().map((spec) => (spec as { readonly scaleStrategy?: object }).scaleStrategy),
    ordinals: () =>
      specs().map(({ ordinals, reserveOrdinals }) => ({
        ...(ordinals === undefined ? {} : { ordinals }),
        ...(reserveOrdinals === undefined ? {} : { reserveOrdinals }),
      })),
    images: () =>
      specs().map(
        ({ template }) =>
          ((template?.spec ?? {}) as { containers?: readonly { image: string }[] }).containers?.[0]?.image,
      ),
    /** Until nothing is written any more and all pods are there. */
    stays: () => {
      for (let round = 0; round < 3; round += 1) {
        world.untilSteady(controller, 'ns/web');
        rollOut(world);
      }
      world.untilSteady(controller, 'ns/web');
    },
  };
}
