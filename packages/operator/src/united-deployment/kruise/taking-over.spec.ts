import { describe, expect, test } from 'vitest';
import { annotations, labels, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerOf, controllerRevisions, keyOf } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import type { KubeObject, Resource } from '@atoll/kube';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { putKruiseStatus } from '../../../simulation/examples/left-by-kruise.ts';
import {
  childOf,
  childrenOf,
  conditionsOf,
  editSpec,
  rollOut,
  setImage,
  statusOf,
  web,
  webKey,
  zone,
} from '../../../simulation/examples/spread-example.ts';
import type { ChildWorkload } from '../../children/child.ts';
import { childKinds, kindFacts, type ChildKind } from '../subsets/child-kind.ts';
import { createUnitedDeploymentController } from '../controller.ts';
import { kruiseChild, kruiseRevision, storedByKruise } from '../kruise/kruise.fixture.ts';

const patch = { spec: { containers: [{ name: 'web', env: [{ name: 'POOL', value: 'b' }] }] } };
const maker = {
  manager: 'kruise-manager',
  operation: 'Update' as const,
  fieldsV1: { 'f:spec': { 'f:selector': {}, 'f:replicas': {} } },
};

const forbidden = refusalOf(403, 'patch controllerrevisions.apps ns/web', 'no');

/** A subset that names its node, which the old operator takes no notice of. */
function onNode(node: string) {
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [node] }];
  return zone('a', { nodeSelectorTerm: { ...zone('a').nodeSelectorTerm, matchFields } });
}

/** Puts the pods of subset `a` where this one says. */
function placeChild(world: FreshWorld, { nodeSelectorTerm }: ReturnType<typeof zone>): void {
  const { name, namespace = '' } = childOf(world, 'a').metadata;
  const required = { nodeSelectorTerms: [nodeSelectorTerm] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  world.edit(deployments(), { namespace, name }, (found) => {
    const { template } = found.spec ?? {};
    return {
      ...found,
      spec: { ...found.spec, template: { ...template, spec: { ...template?.spec, affinity } } },
    };
  });
}

describe('what Kruise leaves', () => {
  test.each(childKinds)('of %s keeps its names, its revision and its pods', (kind) => {
    const { world, untilSteady, revision } = left(web(undefined, kind));
    const before = templates(world, kind);
    untilSteady();
    expect(templates(world, kind)).toEqual(before);
    expect(childrenOf(world)).toEqual({ a: `${kind} 1`, b: `${kind} 3`, c: `${kind} 2` });
    expect(world.list(controllerRevisions).map(({ metadata }) => metadata.name)).toEqual([revision]);
    rollOut(world);
    untilSteady();
    expect(templates(world, kind)).toEqual(before);
    expect(statusOf(world)).toMatchObject({
      currentRevision: revision,
      updatedRevision: revision,
      updatedReadyReplicas: 6,
    });
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
  });

  test('and what it writes when it was there again keeps its pods, whatever their label and their tolerations look like', () => {
    const tolerations = [{ key: 'k', operator: 'Equal' as const, value: 'v' }];
    const { world, controller, untilSteady } = left(web([zone('a', { tolerations })]));
    untilSteady();
    setImage(world, 'web:2');
    untilSteady();
    const { name, namespace = '' } = childOf(world, 'a').metadata;
    world.edit(deployments(), { namespace, name }, (found) => {
      const { metadata, spec } = found.spec?.template ?? {};
      const label = { [labels.subsetRevision]: 'web-of-kruise' };
      const template = {
        metadata: { ...metadata, labels: { ...metadata?.labels, ...label } },
        spec: { ...spec, tolerations: [{ key: 'k', value: 'v' }] },
      };
      const managedFields = [
        { ...maker, manager: 'atoll', operation: 'Apply' as const },
        { manager: 'kruise-manager', operation: 'Update' as const },
      ];
      return {
        ...found,
        metadata: { ...found.metadata, managedFields },
        spec: { ...found.spec, template },
      };
    });
    const before = templates(world, 'Deployment');
    untilSteady();
    expect(templates(world, 'Deployment')).toEqual(before);
    expect(world.reconcile(controller, 'ns/web').plan.stages).toEqual([]);
  });

  test('is written once for whose fields they are and once as a whole, and then no more', () => {
    const { world, controller, untilSteady } = left(web());
    const [first, second, ...more] = untilSteady();
    expect(first?.plan.stages.map(({ name }) => name)).toEqual(['change owners of fields']);
    expect(second?.plan.stages.map(({ name }) => name)).toEqual(['apply children']);
    expect(more).toEqual([]);
    expect(childOf(world, 'a').metadata.managedFields?.map(({ manager }) => manager)).toEqual(['atoll']);
    expect(world.reconcile(controller, 'ns/web').plan.stages).toEqual([]);
  });

  test('with a patch is the same when the text of the patch is not', () => {
    const subsets = [zone('a'), zone('b', { patch })];
    const { world, untilSteady } = left(web(subsets), {
      b: {
        text: '{"spec": {"containers": [{"env": [{"value":"b","name":"POOL"}],"name":"web"}]}}',
        env: [{ name: 'POOL', value: 'b' }],
      },
    });
    const before = templates(world, 'Deployment');
    untilSteady();
    expect(templates(world, 'Deployment')).toEqual(before);
    expect(childOf(world, 'b').metadata.annotations?.[annotations.subsetPatch]).toContain('"spec": {');
  });

  test('waits with a template of another kind as long as it cannot be read', () => {
    const { world, controller } = left(web(undefined, 'CloneSet'));
    world.unreadable.set('cloneSets', { since: world.now, why: 'the conversion webhook does not answer' });
    editSpec(world, () => ({ template: web().spec.template }));
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.stages).toEqual([]);
    expect(plan.holds).toMatchObject([{ reason: 'KindUnreadable' }]);
  });

  test('with a text that is no patch gets the text of the patch', () => {
    const env = [{ name: 'POOL', value: 'b' }];
    const { world, untilSteady } = left(web([zone('a'), zone('b', { patch })]), {
      b: { text: '{"spec', env },
    });
    const before = templates(world, 'Deployment');
    untilSteady();
    expect(templates(world, 'Deployment')).toEqual(before);
    const text = childOf(world, 'b').metadata.annotations?.[annotations.subsetPatch] ?? '';
    expect(JSON.parse(text)).toEqual(patch);
  });

  test('keeps pods that were placed without the fields that Kruise has not, until they change', () => {
    const { world, controller, untilSteady } = left(web([onNode('node-1'), zone('b')]));
    const before = templates(world, 'Deployment');
    untilSteady();
    editSpec(world, () => ({ replicas: 8 }));
    untilSteady();
    expect(templates(world, 'Deployment')).toEqual(before);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.holds).toMatchObject([{ reason: 'OldRenderingKept', bad: false, targets: ['a'] }]);
    setImage(world, 'web:2');
    untilSteady();
    expect(world.reconcile(controller, 'ns/web').plan.holds).toEqual([]);
    expect(JSON.stringify(templates(world, 'Deployment')['a'])).toContain('matchFields');
  });

  test('keeps such pods with what a webhook filled in, until they change', () => {
    const env = [{ name: 'FILLED_IN', value: 'yes' }];
    const { world, controller, untilSteady } = left(web([onNode('node-1'), zone('b')]), {
      a: { text: '', env },
    });
    const before = templates(world, 'Deployment');
    const [, second] = untilSteady();
    const steps = second?.plan.stages.flatMap((stage) => stage.steps) ?? [];
    const written = steps.find(({ target }) => target === 'a');
    expect(JSON.stringify(written)).toContain('FILLED_IN');
    editSpec(world, () => ({ replicas: 8 }));
    const scaled = untilSteady()
      .flatMap(({ plan }) => plan.stages.flatMap(({ steps: all }) => all))
      .filter((step) => step.do === 'apply' && step.target === 'a');
    expect(scaled).toHaveLength(1);
    expect(JSON.stringify(scaled.map((step) => step.do === 'apply' && step.object))).toContain('"env"');
    expect(templates(world, 'Deployment')).toEqual(before);
    expect(world.reconcile(controller, 'ns/web').plan.holds).toMatchObject([
      { reason: 'OldRenderingKept', bad: false, targets: ['a'] },
    ]);
    setImage(world, 'web:2');
    const [rolled] = untilSteady();
    expect(JSON.stringify(rolled?.plan.stages)).not.toContain('FILLED_IN');
    expect(world.reconcile(controller, 'ns/web').plan.holds).toEqual([]);
    expect(JSON.stringify(templates(world, 'Deployment')['a'])).toContain('matchFields');
  });

  test('shows what somebody changes in such pods that are too long to be noted, and that stays', () => {
    const env = [{ name: 'FILLED_IN', value: 'x'.repeat(100_000) }];
    const { world, controller, untilSteady } = left(web([onNode('node-1'), zone('b')]), {
      a: { text: '', env },
    });
    untilSteady();
    expect(world.reconcile(controller, 'ns/web').plan.holds).toMatchObject([{ reason: 'OldRenderingKept' }]);
    world.edit(deployments(), keyOf(childOf(world, 'a')), (found) => {
      const text = JSON.stringify(found.spec).replace('"web:1"', '"web:theirs"');
      return { ...found, spec: JSON.parse(text) as object };
    });
    const before = templates(world, 'Deployment');
    untilSteady();
    expect(templates(world, 'Deployment')).toEqual(before);
    expect(world.reconcile(controller, 'ns/web').plan.holds).toMatchObject([
      {
        reason: 'OldTemplateKept',
        bad: true,
        targets: ['a'],
        problem: expect.stringMatching(/containers\[web\]\.image is "web:1" \(child: "web:theirs"\)/),
      },
      { reason: 'OldRenderingKept', targets: ['a'] },
    ]);
    expect(conditionsOf(world)).toMatchObject({ Ready: 'False OldTemplateKept' });
    setImage(world, 'web:2');
    untilSteady();
    expect(world.reconcile(controller, 'ns/web').plan.holds).toEqual([]);
  });

  test('moves such pods when their placement changes', () => {
    const { world, untilSteady } = left(web([onNode('node-1'), zone('b')]));
    untilSteady();
    expect(JSON.stringify(templates(world, 'Deployment')['a'])).not.toContain('matchFields');
    editSpec(world, () => ({ topology: { subsets: [onNode('node-2'), zone('b')] } }));
    untilSteady();
    expect(JSON.stringify(templates(world, 'Deployment')['a'])).toContain('node-2');
  });

  test('is not called old where its pods have the fields', () => {
    const { world, controller, untilSteady } = left(web([onNode('node-1'), zone('b')]));
    placeChild(world, onNode('node-1'));
    const before = templates(world, 'Deployment');
    untilSteady();
    expect(templates(world, 'Deployment')).toEqual(before);
    expect(world.reconcile(controller, 'ns/web').plan.holds.map(({ reason }) => reason)).not.toContain(
      'OldRenderingKept',
    );
  });

  test('keeps pods that are placed in another way than without the fields, until a person decides', () => {
    const { world, controller, untilSteady } = left(web([onNode('node-1'), zone('b')]));
    placeChild(world, zone('elsewhere'));
    const before = templates(world, 'Deployment');
    untilSteady();
    expect(templates(world, 'Deployment')).toEqual(before);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.holds).toMatchObject([{ reason: 'OldTemplateKept', targets: ['a'] }, ...plan.holds.slice(1)]);
    editSpec(world, () => ({ topology: { subsets: [onNode('node-2'), zone('b')] } }));
    untilSteady();
    expect(JSON.stringify(templates(world, 'Deployment')['a'])).toContain('node-2');
  });

  test('rolls with the next image under a revision of ours, and back to the old one', () => {
    const { world, untilSteady, revision } = left(web());
    untilSteady();
    setImage(world, 'web:2');
    untilSteady();
    const next = statusOf(world).updatedRevision;
    expect(next).not.toBe(revision);
    expect(childOf(world, 'a').spec?.template?.metadata?.labels?.[labels.subsetRevision]).toBe(next);
    setImage(world, 'web:1');
    untilSteady();
    expect(statusOf(world).updatedRevision).toBe(revision);
  });
});

describe('children that nobody owns', () => {
  test('come back to a UnitedDeployment that is made again, with their pods', () => {
    const { world, untilSteady } = left(web());
    untilSteady();
    rollOut(world);
    untilSteady();
    const before = templates(world, 'Deployment');
    const uids = world.list(deployments()).map(({ metadata }) => metadata.uid);
    orphan(world);
    untilSteady();
    expect(world.list(deployments()).map(({ metadata }) => metadata.uid)).toEqual(uids);
    expect(templates(world, 'Deployment')).toEqual(before);
    rollOut(world);
    untilSteady();
    expect(conditionsOf(world)['Ready']).toBe('True RolloutComplete');
  });

  test.each(childKinds)('of %s keep their revision and the history, which come back too', (kind) => {
    const { world, untilSteady } = left(web(undefined, kind));
    untilSteady();
    const { updatedRevision: first } = statusOf(world);
    setImage(world, 'web:2', kind);
    untilSteady();
    rollOut(world);
    untilSteady();
    const { updatedRevision: second } = statusOf(world);
    const before = templates(world, kind);
    orphan(world, 'with its history', kind);
    untilSteady();
    expect(statusOf(world)).toMatchObject({
      currentRevision: second,
      updatedRevision: second,
      collisionCount: 0,
    });
    expect(templates(world, kind)).toEqual(before);
    const { uid } = world.get(unitedDeployments, webKey).metadata;
    const owners = world.list(controllerRevisions).map((each) => controllerOf(each)?.uid);
    expect(owners).toEqual([uid, uid]);
    setImage(world, 'web:1', kind);
    untilSteady();
    expect(statusOf(world).updatedRevision).toBe(first);
    expect(world.list(controllerRevisions)).toHaveLength(2);
  });

  test('leave a revision of the same name to the one who made it, and the names move on', () => {
    const { world, untilSteady } = left(web());
    untilSteady();
    setImage(world, 'web:2');
    untilSteady();
    const { updatedRevision: name = '' } = statusOf(world);
    const key = { namespace: 'ns', name };
    const data = { spec: { template: { $patch: 'replace', spec: {} } } };
    orphan(world, 'with its history');
    world.edit(controllerRevisions, key, (found) => ({ ...found, data }));
    untilSteady();
    expect(statusOf(world)).toMatchObject({ collisionCount: 1 });
    expect(statusOf(world).updatedRevision).not.toBe(name);
    expect(world.get(controllerRevisions, key)).toMatchObject({ data, metadata: { ownerReferences: [] } });
    expect(conditionsOf(world)['SubsetFailure']).toBe('False ');
  });

  test('come back without their history where that is refused, and what is refused is reported', () => {
    const { world, controller, untilSteady } = left(web());
    untilSteady();
    const { updatedRevision } = statusOf(world);
    orphan(world, 'with its history');
    world.refuse = ({ resource, verb }) =>
      (resource as object) === controllerRevisions && verb === 'patch' ? forbidden : undefined;
    world.reconcile(controller, 'ns/web');
    expect(statusOf(world).updatedRevision).toBe(updatedRevision);
    expect(conditionsOf(world)['Ready']).toBe('False RevisionRefused');
    expect(world.list(deployments()).every((child) => controllerOf(child) !== undefined)).toBe(true);
  });

  test('cost no revision that is not ours again, however short the history is to be', () => {
    const { world, controller, untilSteady } = left(web());
    untilSteady();
    setImage(world, 'web:2');
    untilSteady();
    rollOut(world);
    untilSteady();
    orphan(world, 'with its history');
    editSpec(world, () => ({ revisionHistoryLimit: 0 }));
    world.refuse = ({ resource, verb }) =>
      (resource as object) === controllerRevisions && verb === 'patch' ? forbidden : undefined;
    world.reconcile(controller, 'ns/web');
    expect(world.list(controllerRevisions)).toHaveLength(2);
    world.refuse = () => undefined;
    untilSteady();
    expect(world.list(controllerRevisions)).toHaveLength(1);
  });

  test('keep the names of revisions while these may still come back', () => {
    const { world, controller, untilSteady } = left(web());
    untilSteady();
    rollOut(world);
    untilSteady();
    const { updatedRevision } = statusOf(world);
    const before = templates(world, 'Deployment');
    const { spec } = world.get(unitedDeployments, webKey);
    world.remove(unitedDeployments as Resource<KubeObject>, webKey);
    world.put(unitedDeployments, { metadata: webKey, spec });
    world.reconcile(controller, 'ns/web');
    expect(statusOf(world)).toMatchObject({ updatedRevision, collisionCount: 0 });
    expect(world.list(controllerRevisions)).toHaveLength(1);
    orphan(world, 'with its history');
    untilSteady();
    expect(statusOf(world)).toMatchObject({ updatedRevision, collisionCount: 0 });
    expect(world.list(controllerRevisions)).toHaveLength(1);
    expect(templates(world, 'Deployment')).toEqual(before);
  });

  test('get their revision anew where the old one went with its owner', () => {
    const { world, controller, untilSteady } = left(web());
    untilSteady();
    const { spec } = world.get(unitedDeployments, webKey);
    world.remove(unitedDeployments as Resource<KubeObject>, webKey);
    world.put(unitedDeployments, { metadata: webKey, spec });
    world.reconcile(controller, 'ns/web');
    for (const resource of [deployments(), controllerRevisions] as readonly Resource<KubeObject>[]) {
      for (const { metadata } of world.list(resource)) {
        const { name, namespace = '' } = metadata;
        world.remove(resource, { namespace, name });
      }
    }
    untilSteady();
    rollOut(world);
    untilSteady();
    expect(statusOf(world)).toMatchObject({ collisionCount: 0 });
    expect(conditionsOf(world)['Ready']).toBe('True RolloutComplete');
    expect(world.list(controllerRevisions)).toHaveLength(1);
  });

  test('can go back to an older template of theirs at once', () => {
    const { world, controller, revision, untilSteady } = left(web());
    untilSteady();
    setImage(world, 'web:2');
    untilSteady();
    orphan(world, 'with its history');
    setImage(world, 'web:1');
    const { outcome } = world.reconcile(controller, 'ns/web');
    expect(outcome.results.map(({ did }) => did)).toEqual(outcome.results.map(() => 'done'));
    untilSteady();
    expect(statusOf(world).updatedRevision).toBe(revision);
    expect(world.get(controllerRevisions, { namespace: 'ns', name: revision }).revision).toBe(3);
  });

  test('stay with nobody where their selector is not the one that we would write', () => {
    const { world, untilSteady } = left(web());
    untilSteady();
    orphan(world);
    editSpec(world, () => ({ selector: { matchLabels: { app: 'web', more: 'x' } } }));
    untilSteady();
    const strangers = world
      .list(deployments())
      .filter(({ metadata }) => metadata.ownerReferences?.length === 0);
    expect(strangers).toHaveLength(3);
  });
});

interface Patched {
  readonly text: string;
  readonly env: readonly object[];
}

/** A cluster as a Kruise that was stopped leaves it. */
function left(workload: UnitedDeployment, patched: Readonly<Record<string, Patched>> = {}) {
  const world = new FreshWorld();
  const owner = world.put(unitedDeployments, storedByKruise(workload));
  const kind = kindOf(workload);
  const written = kruiseRevision(owner, 1);
  const { name: revision } = written.metadata;
  world.put(controllerRevisions, written);
  const numbers: Readonly<Record<string, number>> = { a: 1, b: 3, c: 2 };
  const names = (workload.spec.topology?.subsets ?? []).map(({ name }) => name);
  const even = names.length === 2 ? 3 : undefined;
  for (const subset of names) {
    const replicas = even ?? numbers[subset] ?? 1;
    const { text, env } = patched[subset] ?? {};
    const child = kruiseChild({
      owner,
      subset,
      suffix: 'x7k2p',
      revision,
      replicas,
      ...(env === undefined ? {} : { patched: (template) => withEnv(template, env) }),
    });
    const noted = text === undefined ? {} : { [annotations.subsetPatch]: text };
    world.put(kindFacts[kind].resource, {
      ...child,
      metadata: {
        ...child.metadata,
        annotations: { ...child.metadata.annotations, ...noted },
        managedFields: [maker],
      },
    } as KubeObject);
  }
  const subsets = names.map((name) => ({ name, replicas: even ?? numbers[name] ?? 1 }));
  putKruiseStatus(world, owner, revision, subsets);
  rollOut(world);
  const controller = createUnitedDeploymentController(world.readers);
  return { world, controller, revision, untilSteady: () => world.untilSteady(controller, 'ns/web') };
}

function withEnv(
  template: Parameters<NonNullable<Parameters<typeof kruiseChild>[0]['patched']>>[0],
  env: readonly object[],
) {
  const containers = template.spec.containers?.map((container) => ({ ...container, env }));
  return { ...template, spec: { ...template.spec, ...(containers === undefined ? {} : { containers }) } };
}

/** The UnitedDeployment is deleted with `--cascade=orphan` and made again; its history may be lost. */
function orphan(
  world: FreshWorld,
  how: 'with its history' | 'without history' = 'without history',
  kind: ChildKind = 'Deployment',
): void {
  const { spec } = world.get(unitedDeployments, webKey);
  const release = (resource: Resource<KubeObject>): void => {
    for (const { metadata } of world.list(resource)) {
      const { name, namespace = '' } = metadata;
      world.edit(resource, { namespace, name }, (found) => ({
        ...found,
        metadata: { ...found.metadata, ownerReferences: [] },
      }));
    }
  };
  release(kindFacts[kind].resource);
  const history = controllerRevisions as Resource<KubeObject>;
  if (how === 'with its history') release(history);
  else {
    for (const { metadata } of world.list(history)) {
      const { name, namespace = '' } = metadata;
      world.remove(history, { namespace, name });
    }
  }
  world.remove(unitedDeployments as Resource<KubeObject>, webKey);
  world.put(unitedDeployments, { metadata: webKey, spec });
}

function templates(world: FreshWorld, kind: ChildKind): Readonly<Record<string, unknown>> {
  const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
  return Object.fromEntries(
    world
      .list(resource)
      .map(({ metadata, spec }) => [metadata.labels?.[labels.subsetName] ?? '', spec?.template]),
  );
}

function deployments(): Resource<ChildWorkload> {
  return kindFacts.Deployment.resource as Resource<ChildWorkload>;
}

function kindOf({ spec }: UnitedDeployment): ChildKind {
  const found = childKinds.find((kind) => spec.template[kindFacts[kind].member] !== undefined);
  if (found === undefined) throw new Error('no template');
  return found;
}
