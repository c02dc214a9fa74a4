import { describe, expect, test } from 'vitest';
import { annotations, unitedDeployments } from '@atoll/api';
import {
  keyOf,
  normalised,
  ObjectCache,
  type KubeObject,
  type OptionalReader,
  type Projection,
  type Resource,
  type Stored,
} from '@atoll/kube';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import {
  conditionsOf,
  editSpec,
  rollOut,
  setImage,
  statusOf,
  web,
  webKey,
  zone,
} from '../../../simulation/examples/spread-example.ts';
import { caches, type Readers } from '../../caches.ts';
import type { Finding } from '../../causes/finding.ts';
import type { ChildWorkload } from '../../children/child.ts';
import { cacheOf } from '../../places/reader-of.ts';
import { kindFacts, type ChildKind } from '../subsets/child-kind.ts';
import { createUnitedDeploymentController } from '../controller.ts';
import { putLeftByKruise } from '../../../simulation/examples/left-by-kruise.ts';

const hotfix = { containers: [{ name: 'web', image: 'web:hotfix' }] };
const kinds = ['Deployment', 'StatefulSet', 'CloneSet', 'AdvancedStatefulSet'] as const;

describe('what a person changed in a child and Kruise left so', () => {
  test.each(kinds)('stays in a %s, and the hold reports what differs and what applies it', (kind) => {
    const { world, controller, podsOf } = left(kind, hotfix);
    const before = podsOf();
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(podsOf()).toEqual(before);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.stages).toEqual([]);
    const field = `spec.template.${kindFacts[kind].member}.spec.template.spec.containers[web].image`;
    expect(plan.holds).toMatchObject([
      {
        reason: 'OldTemplateKept',
        bad: true,
        targets: ['a'],
        problem: expect.stringContaining(`${field} is "web:1" (child: "web:hotfix")`),
      },
    ]);
    expect(conditionsOf(world)).toMatchObject({ Ready: 'False OldTemplateKept' });
    expect(statusOf(world)).toMatchObject({ updatedReplicas: 3 });
  });

  test('is still kept by an operator that starts between any two of its writes', () => {
    const { world, podsOf } = left('Deployment', hotfix);
    const before = podsOf();
    for (let reconciled = 0; reconciled < 6; reconciled += 1) {
      world.reconcile(createUnitedDeploymentController(world.readers), 'ns/web');
    }
    expect(podsOf()).toEqual(before);
  });

  test('stays when replicas change, and ends with the next template', () => {
    const { world, controller, podsOf, images } = kept();
    const before = podsOf();
    editSpec(world, () => ({ replicas: 8 }));
    world.untilSteady(controller, 'ns/web');
    expect(podsOf()).toEqual(before);
    setImage(world, 'web:2');
    world.untilSteady(controller, 'ns/web');
    expect(images()).toEqual(['web:2', 'web:2']);
    expect(world.reconcile(controller, 'ns/web').plan.holds).toEqual([]);
  });

  test('ends when the template comes to say what runs, and no pod restarts', () => {
    const { world, controller, podsOf } = kept();
    const before = normalised(podsOf()[0]);
    setImage(world, 'web:hotfix');
    world.untilSteady(controller, 'ns/web');
    expect(normalised(podsOf()[0])).toEqual(before);
    expect(world.reconcile(controller, 'ns/web').plan.holds).toEqual([]);
  });

  test.each([true, false])(
    'ends when a person asks for the template, also before the take-over: %s',
    (isBefore) => {
      const { world, controller, images } = isBefore ? left('Deployment', hotfix) : kept();
      world.edit(unitedDeployments, webKey, (found) => ({
        ...found,
        metadata: { ...found.metadata, annotations: { [annotations.applyTemplate]: 'true' } },
      }));
      world.untilSteady(controller, 'ns/web');
      expect(images()).toEqual(['web:1', 'web:1']);
      rollOut(world);
      world.untilSteady(controller, 'ns/web');
      expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
    },
  );

  test('is put back where it is done to a child that Atoll has applied', () => {
    const { world, controller, images, resource } = left('Deployment', {});
    world.untilSteady(controller, 'ns/web');
    change(world, resource, hotfix);
    world.untilSteady(controller, 'ns/web');
    expect(images()).toEqual(['web:1', 'web:1']);
  });
});

describe('a child is brought to its template', () => {
  test.each<readonly [string, Partial<KubeObject['metadata']>]>([
    [
      'that Kruise had not brought to its last revision',
      { labels: { 'apps.kruise.io/controller-revision-hash': 'web-old' } },
    ],
    ['whose patch Kruise had not brought there', { annotations: { [annotations.subsetPatch]: '{"a":1}' } }],
  ])('%s', (_, metadata) => {
    const { world, controller, images, resource } = left('Deployment', hotfix);
    const [child] = world.list(resource);
    if (child === undefined) throw new Error('no child');
    world.edit(resource, keyOf(child), (found) => ({
      ...found,
      metadata: {
        ...found.metadata,
        labels: { ...found.metadata.labels, ...metadata.labels },
        annotations: { ...found.metadata.annotations, ...metadata.annotations },
      },
    }));
    world.untilSteady(controller, 'ns/web');
    expect(images()).toEqual(['web:1', 'web:1']);
  });

  test('whose template changed before Atoll looked', () => {
    const { world, controller, images } = left('Deployment', hotfix);
    setImage(world, 'web:2');
    world.untilSteady(controller, 'ns/web');
    expect(images()).toEqual(['web:2', 'web:2']);
  });
});

test('what others added to a child is no difference', () => {
  const sidecar = {
    containers: [
      { name: 'web', image: 'web:1', resources: {} },
      { name: 'side', image: 'side:1' },
    ],
  };
  const { world, controller } = left('Deployment', sidecar);
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
  expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
});

function kept(live: object = hotfix) {
  const example = left('Deployment', live);
  const { world, controller } = example;
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
  return example;
}

/** A cluster at rest as a Kruise that was stopped leaves it; `live`: what of the pods of subset `a` somebody changed. */
function left(kind: ChildKind, live: object) {
  const world = new FreshWorld();
  const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
  putLeftByKruise(world, kind, web([zone('a'), zone('b')], kind));
  change(world, resource, live);
  rollOut(world);
  const podsOf = () => world.list(resource).map(({ spec }) => spec?.template);
  const images = () =>
    podsOf().map((pods) => ((pods?.spec ?? {}) as Partial<typeof hotfix>).containers?.[0]?.image);
  return { world, resource, podsOf, images, controller: createUnitedDeploymentController(world.readers) };
}

function change(world: FreshWorld, resource: Resource<ChildWorkload>, pods: object): void {
  const [child] = world.list(resource);
  if (child === undefined) throw new Error('no child');
  world.edit(resource, keyOf(child), (found) => {
    const { template } = found.spec ?? {};
    return {
      ...found,
      spec: { ...found.spec, template: { ...template, spec: { ...template?.spec, ...pods } } },
    };
  });
}

test('a subset that gets another name under subset-removal is removed while another one is kept', () => {
  const { world, controller, resource } = kept();
  world.edit(unitedDeployments, webKey, (found) => ({
    ...found,
    metadata: { ...found.metadata, annotations: { [annotations.subsetRemoval]: 'after-replacement' } },
  }));
  editSpec(world, () => ({ topology: { subsets: [zone('a'), zone('c')] } }));
  for (let i = 0; i < 4; i += 1) {
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
  }
  world.untilSteady(controller, 'ns/web');
  expect(world.list(resource).map(({ metadata, spec }) => [metadata.name, spec?.replicas])).toHaveLength(2);
});

test('a change of a CloneSet that Atoll has applied is put back, also where its own controller wrote its spec', () => {
  const { world, controller, images, resource } = left('CloneSet', {});
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
  expect(world.reconcile(controller, 'ns/web').plan.stages).toEqual([]);
  const [child] = world.list(resource);
  if (child === undefined) throw new Error('no child');
  // The CloneSet controller, which has to run, clears scaleStrategy.podsToDelete with an Update.
  world.edit(resource, keyOf(child), (found) => ({
    ...found,
    metadata: {
      ...found.metadata,
      managedFields: [
        ...(found.metadata.managedFields ?? []),
        { manager: 'kruise-manager', operation: 'Update', fieldsV1: { 'f:spec': { 'f:scaleStrategy': {} } } },
      ],
    },
  }));
  change(world, resource, hotfix);
  world.untilSteady(controller, 'ns/web');
  expect(images()).toEqual(['web:1', 'web:1']);
});

describe('after a way back to Kruise', () => {
  const ofPods = { 'f:template': { 'f:spec': { 'f:containers': {} } } };
  test.each<readonly [ChildKind, string, object]>([
    ['Deployment', 'pods', ofPods],
    ['Deployment', 'partition', { 'f:updateStrategy': {} }],
    ['StatefulSet', 'pods', ofPods],
    ['AdvancedStatefulSet', 'pods', ofPods],
    ['CloneSet', 'pods', ofPods],
    ['CloneSet', 'replicas', { 'f:replicas': {} }],
  ])('what a person changed in a %s of which Kruise wrote the %s stays', (kind, _, fields) => {
    const { world, controller, podsOf, resource } = left(kind, {});
    world.untilSteady(controller, 'ns/web');
    const written = {
      manager: 'kruise-manager',
      operation: 'Update',
      fieldsV1: { 'f:spec': fields },
    } as const;
    for (const child of world.list(resource)) {
      world.edit(resource, keyOf(child), (found) => ({
        ...found,
        metadata: {
          ...found.metadata,
          managedFields: [...(found.metadata.managedFields ?? []), written],
        },
      }));
    }
    change(world, resource, hotfix);
    const before = podsOf();
    world.untilSteady(createUnitedDeploymentController(asCached(world, kind)), 'ns/web');
    expect(podsOf()).toEqual(before);
    expect(conditionsOf(world)).toMatchObject({ Ready: 'False OldTemplateKept' });
  });
});

describe('a child that is kept and whose pods are not available', () => {
  const difference = 'containers[web].image is "web:1" (child: "web:hotfix")';
  const crashes = {
    word: 'CrashLoopBackOff',
    message: '3 pods: container web fails after each start',
  } as const;
  const waits = { word: 'PodsUnschedulable', message: '3 pods found no node' } as const;

  test('is looked at, and shows why beside what differs', () => {
    const { world, controller } = broken(crashes);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.inspect).toMatchObject([{ uid: uidOf(world) }]);
    expect(plan.holds).toMatchObject([
      {
        reason: 'CrashLoopBackOff',
        bad: true,
        targets: ['a'],
        problem: `${crashes.message}. The child stays as an older operator left it (OldTemplateKept)`,
      },
      { reason: 'OldTemplateKept', bad: true, targets: ['a'], problem: expect.stringContaining(difference) },
    ]);
    expect(conditionsOf(world)).toMatchObject({ Ready: 'False CrashLoopBackOff' });
  });

  test('shows what its pods wait for with what differs', () => {
    const { world, controller } = broken(waits);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.holds).toMatchObject([
      {
        reason: 'OldTemplateKept',
        targets: ['a'],
        problem: expect.stringMatching(/^3 pods found no node\. .*web:hotfix/),
      },
      { reason: 'PodsUnschedulable', bad: false, targets: ['a'] },
    ]);
    expect(conditionsOf(world)).toMatchObject({ Ready: 'False OldTemplateKept' });
  });

  test('shows nothing of its pods once they are available', () => {
    const { world, controller } = broken(crashes);
    rollOut(world);
    expect(world.reconcile(controller, 'ns/web').plan).toMatchObject({
      inspect: [],
      holds: [{ reason: 'OldTemplateKept' }],
    });
  });

  function uidOf(world: FreshWorld): string {
    return world.list(kindFacts.Deployment.resource as Resource<ChildWorkload>)[0]?.metadata.uid ?? '';
  }

  /** The pods of the first child fail, for a cause that was found. */
  function broken(cause: Pick<Finding, 'word' | 'message'>) {
    const { world, resource } = kept();
    const controller = createUnitedDeploymentController(world.readers, world.findings);
    const [child] = world.list(resource);
    if (child === undefined) throw new Error('no child');
    world.edit(resource, keyOf(child), (found) => ({
      ...found,
      status: { ...found.status, availableReplicas: 0, readyReplicas: 0 },
    }));
    world.findings.set(child.metadata.uid, { ...cause, pods: [], nodes: [] });
    return { world, controller };
  }
});

describe('a later change of a child that is kept', () => {
  const found = { ...hotfix, terminationGracePeriodSeconds: 7 };
  test.each<readonly [string, object]>([
    ['what differed before', { containers: [{ name: 'web', image: 'web:again' }] }],
    ['what did not', { hostname: 'other', terminationGracePeriodSeconds: 5 }],
    ['both', { containers: [{ name: 'web', image: 'web:again' }], terminationGracePeriodSeconds: 5 }],
  ])('is put back, of %s', (_, later) => {
    const { world, podsOf, resource } = kept(found);
    const before = podsOf();
    change(world, resource, later);
    const controller = createUnitedDeploymentController(world.readers);
    const { outcome } = world.reconcile(controller, 'ns/web');
    expect(outcome.results).toMatchObject([{ did: 'done', step: { why: { word: 'ChildDrifted' } } }]);
    world.untilSteady(controller, 'ns/web');
    const { hostname: _others, ...spec } = (podsOf()[0]?.spec ?? {}) as { readonly hostname?: string };
    expect([{ ...podsOf()[0], spec }, podsOf()[1]]).toEqual(before);
    expect(conditionsOf(world)).toMatchObject({ Ready: 'False OldTemplateKept' });
  });

  test('stays where it is what the template has, and the child is kept no more', () => {
    const { world, controller, images, resource } = kept();
    change(world, resource, { containers: [{ name: 'web', image: 'web:1' }] });
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(images()).toEqual(['web:1', 'web:1']);
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
  });

  test('to what the template has takes nothing out that a webhook filled in', () => {
    const tolerations = [{ key: 'spot', operator: 'Exists' }];
    const { world, controller, podsOf, resource } = kept({ ...hotfix, tolerations });
    change(world, resource, { containers: [{ name: 'web', image: 'web:1' }] });
    const before = podsOf();
    expect(applied(world, controller)).toMatchObject({ tolerations });
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(podsOf()).toEqual(before);
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
  });

  test('stays where the pods are too long to be noted', () => {
    const args = ['x'.repeat(100_000)];
    const { world, controller, podsOf, resource } = kept({
      containers: [{ name: 'web', image: 'web:hotfix', args }],
    });
    change(world, resource, { containers: [{ name: 'web', image: 'web:again', args }] });
    const before = podsOf();
    world.untilSteady(controller, 'ns/web');
    expect(podsOf()).toEqual(before);
    expect(world.list(resource)[0]?.metadata.annotations).not.toHaveProperty([annotations.keptTemplate]);
  });

  test.each<readonly [string, object, Readonly<Record<string, string>>]>([
    ['characters of three bytes', { args: ['界'.repeat(90_000)] }, {}],
    ['other annotations', { args: ['x'.repeat(90_000)] }, { theirs: 'x'.repeat(180_000) }],
  ])('leaves the annotations of a child within what the API server takes, with %s', (_, pods, theirs) => {
    const container = { name: 'web', image: 'web:hotfix', ...pods };
    const { world, controller, podsOf, resource } = left('Deployment', { containers: [container] });
    for (const child of world.list(resource)) {
      world.edit(resource, keyOf(child), (found) => {
        const { annotations: noted } = found.metadata;
        return { ...found, metadata: { ...found.metadata, annotations: { ...noted, ...theirs } } };
      });
    }
    const before = podsOf();
    world.untilSteady(controller, 'ns/web');
    expect(podsOf()).toEqual(before);
    const written = Object.entries(world.list(resource)[0]?.metadata.annotations ?? {});
    expect(written.map(([name]) => name)).toContain(annotations.keptPods);
    expect(Buffer.byteLength(written.flat().join(''))).toBeLessThanOrEqual(262_144);
  });
});

describe('what others change of their own in a child that is kept', () => {
  const withEnv = (value: string, image = 'web:hotfix') => ({
    spec: { containers: [{ name: 'web', image, env: [{ name: 'RELOADED', value }] }] },
  });
  const restarted = (at: string) => ({
    metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': at } },
    spec: hotfix,
  });
  const withSide = (image: string) => ({
    spec: { containers: [...hotfix.containers, { name: 'side', image }] },
  });

  test.each<readonly [string, (value: string) => Changed]>([
    ['restartedAt, by kubectl rollout restart', restarted],
    ['a variable, by a controller that reloads configuration', withEnv],
    ['a container, by a controller that adds one', withSide],
  ])('stays: %s', (_, changed) => {
    const { world, controller, podsOf, resource } = left('Deployment', {});
    changeAs(world, resource, changed('1'));
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(conditionsOf(world)).toMatchObject({ Ready: 'False OldTemplateKept' });
    for (const value of ['2', '3']) {
      changeAs(world, resource, changed(value));
      const before = podsOf();
      world.untilSteady(createUnitedDeploymentController(world.readers), 'ns/web');
      expect(podsOf()).toEqual(before);
    }
    expect(conditionsOf(world)).toMatchObject({ Ready: 'False OldTemplateKept' });
  });

  test('stays in the end where somebody changes with it what the template has, which is put back', () => {
    const { world, controller, images, podsOf, resource } = left('Deployment', {});
    changeAs(world, resource, withEnv('1'));
    world.untilSteady(controller, 'ns/web');
    changeAs(world, resource, withEnv('1', 'web:again'));
    world.untilSteady(controller, 'ns/web');
    expect(images()).toEqual(['web:hotfix', 'web:1']);
    changeAs(world, resource, withEnv('2', 'web:again'));
    world.untilSteady(controller, 'ns/web');
    expect(images()).toEqual(['web:hotfix', 'web:1']);
    changeAs(world, resource, withEnv('2'));
    const before = podsOf();
    world.untilSteady(controller, 'ns/web');
    expect(podsOf()).toEqual(before);
  });

  interface Changed {
    readonly metadata?: object;
    readonly spec: object;
  }

  /** The first child, by somebody who owns fields of its pods then. */
  function changeAs(world: FreshWorld, resource: Resource<ChildWorkload>, { metadata = {}, spec }: Changed) {
    const [child] = world.list(resource);
    if (child === undefined) throw new Error('no child');
    const theirs = {
      manager: 'theirs',
      operation: 'Update',
      fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': {} } } },
    };
    world.edit(resource, keyOf(child), (found) => {
      const { managedFields = [] } = found.metadata;
      const { template } = found.spec ?? {};
      return {
        ...found,
        metadata: {
          ...found.metadata,
          managedFields: [...managedFields.filter(({ manager }) => manager !== 'theirs'), theirs],
        },
        spec: {
          ...found.spec,
          template: {
            ...template,
            metadata: { ...template?.metadata, ...metadata },
            spec: { ...template?.spec, ...spec },
          },
        },
      };
    });
  }
});

describe('a field that only the child has', () => {
  const tolerations = [{ key: 'spot', operator: 'Exists' }];

  test('is applied where nobody else owns any, as what a webhook filled in when Kruise made the child', () => {
    const { world, controller, podsOf, images, resource } = left('Deployment', { tolerations });
    expect(applied(world, controller)).toMatchObject({ tolerations });
    const before = podsOf();
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(podsOf()).toEqual(before);
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
    expect(statusOf(world)).toMatchObject({ updatedReplicas: 6 });
    change(world, resource, hotfix);
    world.untilSteady(controller, 'ns/web');
    expect(podsOf()).toEqual(before);
    setImage(world, 'web:2');
    world.untilSteady(controller, 'ns/web');
    expect(images()).toEqual(['web:2', 'web:2']);
    expect(podsOf()[0]?.spec).not.toHaveProperty('tolerations');
  });

  test('is applied, too, where others own fields of the pods: one that a webhook filled in stays with those', () => {
    const { world, controller, podsOf, resource } = ofOthers();
    expect(applied(world, controller)).toMatchObject({ tolerations });
    const before = podsOf();
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(podsOf()).toEqual(before);
    expect(world.reconcile(controller, 'ns/web').plan).toMatchObject({ stages: [], holds: [] });
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
    change(world, resource, hotfix);
    world.untilSteady(controller, 'ns/web');
    expect(podsOf()).toEqual(before);
  });

  test.each<readonly [string, object]>([
    ['changed', { tolerations: [{ key: 'other', operator: 'Exists' }] }],
    ['taken out', { tolerations: undefined }],
    ['added to', { tolerations: [...tolerations, { key: 'other', operator: 'Exists' }], hostname: 'one' }],
  ])(
    'stays as it is %s later, as in a child that is not kept, whatever owner its fields have then',
    (_, later) => {
      const { world, controller, podsOf, resource } = ofOthers();
      world.untilSteady(controller, 'ns/web');
      change(world, resource, later);
      // A manager that owns nothing any more has no entry.
      for (const child of world.list(resource)) {
        world.edit(resource, keyOf(child), (found) => {
          const managedFields = found.metadata.managedFields?.filter(
            ({ manager }) => manager !== 'kubectl-edit',
          );
          return { ...found, metadata: { ...found.metadata, managedFields } };
        });
      }
      const before = podsOf();
      world.untilSteady(createUnitedDeploymentController(world.readers), 'ns/web');
      expect(podsOf()).toEqual(before);
      setImage(world, 'web:2');
      expect(applied(world, controller)).not.toHaveProperty('tolerations');
    },
  );

  /** A person has edited the first child, and owns a field of its pods. */
  function ofOthers() {
    const example = left('Deployment', { tolerations });
    const { world, resource } = example;
    const [child] = world.list(resource);
    if (child === undefined) throw new Error('no child');
    const theirs = {
      manager: 'kubectl-edit',
      operation: 'Update',
      fieldsV1: { 'f:spec': { 'f:template': { 'f:metadata': { 'f:annotations': {} } } } },
    };
    world.edit(resource, keyOf(child), (found) => ({
      ...found,
      metadata: { ...found.metadata, managedFields: [...(found.metadata.managedFields ?? []), theirs] },
    }));
    return example;
  }

  test('goes with the template that takes it out before Atoll looked', () => {
    const { world, controller } = left('Deployment', { tolerations });
    setImage(world, 'web:2');
    expect(applied(world, controller)).not.toHaveProperty('tolerations');
  });
});

/** The pods that are applied to the first child once its fields are ours. */
function applied(
  world: FreshWorld,
  controller: ReturnType<typeof createUnitedDeploymentController>,
): object | undefined {
  for (let reconciled = 0; reconciled < 3; reconciled += 1) {
    const { plan } = world.reconcile(controller, 'ns/web');
    for (const step of plan.stages.flatMap(({ steps }) => steps)) {
      if (step.do !== 'apply' || step.target !== 'a') continue;
      return (step.object as ChildWorkload).spec?.template?.spec;
    }
  }
  throw new Error('no child was applied');
}

test('a child that is made while others are kept has the template: of a new subset, and in the place of a kept one that a person deleted', () => {
  const { world, controller, images, resource } = kept();
  editSpec(world, () => ({ topology: { subsets: [zone('a'), zone('b'), zone('c')] } }));
  world.untilSteady(controller, 'ns/web');
  expect(new Set(images())).toEqual(new Set(['web:1', 'web:hotfix']));
  expect(images()).toHaveLength(3);
  const [child] = world.list(resource);
  if (child === undefined) throw new Error('no child');
  world.remove(resource, keyOf(child));
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
  expect(images()).toEqual(['web:1', 'web:1', 'web:1']);
  expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
});

/** Children with the fields that the cache keeps, and no others. */
function asCached({ readers }: FreshWorld, kind: ChildKind): Readers {
  const name = cacheOf[kind];
  const reader = readers[name] as OptionalReader<KubeObject>;
  const declared = caches[name].projection as Projection<KubeObject>;
  const { resource, synced, served, unreadable } = reader;
  const cache = new ObjectCache({ resource: reader.resource, projection: declared });
  const fields = (objects: readonly Stored<KubeObject>[]) =>
    objects.map((each) => cache.decode(Buffer.from(JSON.stringify(each))));
  const cached: OptionalReader<KubeObject> = {
    ...reader,
    resource,
    synced,
    served,
    unreadable,
    list: () => fields(reader.list()),
    by: (index, value) => fields(reader.by(index, value)),
  };
  return { ...readers, [name]: cached };
}
