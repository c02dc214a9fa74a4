import { describe, expect, test } from 'vitest';
import { annotations, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerRevisions, type Resource } from '@atoll/kube';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import {
  editSpec,
  conditionsOf,
  rollOut,
  web,
  webKey,
  zone,
} from '../../../simulation/examples/spread-example.ts';
import type { ChildWorkload } from '../../children/child.ts';
import { kindFacts, type ChildKind } from '../subsets/child-kind.ts';
import { createUnitedDeploymentController } from '../controller.ts';
import { putLeftByKruise } from '../../../simulation/examples/left-by-kruise.ts';

const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } };
const storedClaim = {
  metadata: { name: 'data', creationTimestamp: null },
  spec: { accessModes: ['ReadWriteOnce'], resources: {}, volumeMode: 'Filesystem' },
  status: { phase: 'Pending' },
};

/** What a user has in git, and what Kruise's webhook stored of it: of StatefulSets alone. */
function inGit(kind: ChildKind, image = 'web:1') {
  return templateOf(kind, { image }, kind === 'StatefulSet' ? { volumeClaimTemplates: [claim] } : {});
}
const filled = templateOf(
  'StatefulSet',
  { image: 'web:1', imagePullPolicy: 'Always', terminationMessagePolicy: 'File' },
  { volumeClaimTemplates: [storedClaim] },
);

describe('a manifest that is applied again once the webhook of Kruise is gone', () => {
  test('restarts no pod of a StatefulSet, and writes nothing, until the template changes', () => {
    const { world, controller, podsOf } = left('StatefulSet', filled);
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    const before = podsOf();
    editSpec(world, () => ({ template: inGit('StatefulSet') }));
    world.untilSteady(controller, 'ns/web');
    expect(podsOf()).toEqual(before);
    expect(world.list(controllerRevisions)).toHaveLength(1);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.stages).toEqual([]);
    expect(plan.holds).toMatchObject([
      {
        reason: 'OldRenderingKept',
        bad: false,
        problem: expect.stringContaining('spec.template.statefulSetTemplate'),
      },
    ]);
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
    editSpec(world, () => ({ template: inGit('StatefulSet', 'web:2') }));
    world.untilSteady(controller, 'ns/web');
    expect(podsOf()).toMatchObject([{ image: 'web:2' }, { image: 'web:2' }]);
    expect(podsOf()[0]).not.toHaveProperty('imagePullPolicy');
    expect(world.reconcile(controller, 'ns/web').plan.holds).toEqual([]);
  });

  test('restarts none where it was applied before Atoll ever looked', () => {
    const { world, podsOf } = left('StatefulSet', filled);
    const before = podsOf();
    editSpec(world, () => ({ template: inGit('StatefulSet') }));
    for (let reconciled = 0; reconciled < 6; reconciled += 1) {
      world.reconcile(createUnitedDeploymentController(world.readers), 'ns/web');
    }
    expect(podsOf()).toEqual(before);
  });

  test('is rolled out when a person asks for it', () => {
    const { world, controller, podsOf } = left('StatefulSet', filled);
    world.untilSteady(controller, 'ns/web');
    editSpec(world, () => ({ template: inGit('StatefulSet') }));
    world.edit(unitedDeployments, webKey, (found) => ({
      ...found,
      metadata: { ...found.metadata, annotations: { [annotations.applyTemplate]: 'true' } },
    }));
    world.untilSteady(controller, 'ns/web');
    expect(podsOf()[0]).not.toHaveProperty('imagePullPolicy');
  });

  test.each(['Deployment', 'CloneSet'] as const)(
    'is a change of a %s, of which Kruise filled in nothing',
    (kind) => {
      const stated = templateOf(kind, { image: 'web:1', imagePullPolicy: 'Always' });
      const { world, controller, podsOf } = left(kind, stated);
      world.untilSteady(controller, 'ns/web');
      editSpec(world, () => ({ template: inGit(kind) }));
      world.untilSteady(controller, 'ns/web');
      expect(podsOf()[0]).not.toHaveProperty('imagePullPolicy');
    },
  );
});

test('claims whose defaults the webhook filled in are no other template', () => {
  const policy = { image: 'web:1', imagePullPolicy: 'IfNotPresent' };
  const { world, controller } = left(
    'StatefulSet',
    templateOf('StatefulSet', policy, { volumeClaimTemplates: [storedClaim] }),
  );
  world.untilSteady(controller, 'ns/web');
  const template = templateOf('StatefulSet', { image: 'web:1' }, { volumeClaimTemplates: [claim] });
  editSpec(world, () => ({ template }));
  world.untilSteady(controller, 'ns/web');
  expect(world.list(controllerRevisions)).toHaveLength(1);
  const blocks = { ...claim, spec: { ...claim.spec, volumeMode: 'Block' } };
  editSpec(world, () => ({
    template: templateOf('StatefulSet', { image: 'web:1' }, { volumeClaimTemplates: [blocks] }),
  }));
  world.untilSteady(controller, 'ns/web');
  expect(world.list(controllerRevisions)).toHaveLength(2);
});

function templateOf(
  kind: ChildKind,
  container: object,
  more: object = {},
): UnitedDeployment['spec']['template'] {
  const metadata = { labels: { app: 'web' } };
  const pods = { metadata, spec: { containers: [{ name: 'web', ...container }] } };
  const given = { metadata, spec: { ...more, template: pods } };
  return { [kindFacts[kind].member]: given } as UnitedDeployment['spec']['template'];
}

/** A cluster at rest as a Kruise that was stopped leaves it. */
function left(kind: ChildKind, template: UnitedDeployment['spec']['template']) {
  const world = new FreshWorld();
  const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
  putLeftByKruise(world, kind, web([zone('a'), zone('b')], kind, { template }));
  rollOut(world);
  const podsOf = () =>
    world.list(resource).map(({ spec }) => {
      const { containers } = (spec?.template?.spec ?? { containers: [] }) as {
        readonly containers: readonly object[];
      };
      return containers[0];
    });
  return { world, controller: createUnitedDeploymentController(world.readers), podsOf };
}
