import { annotations, unitedDeployments, yurtAppDaemons, type UnitedDeployment } from '@atoll/api';
import { controllerRevisions, deployments, keyOf, type KubeObject, type Resource } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { FreshWorld } from '../../../../simulation/examples/fresh-world.ts';
import { left, readyOf, revision, templates } from '../../../../simulation/examples/left-example.ts';
import * as spreadExample from '../../../../simulation/examples/spread-example.ts';
import * as worked from '../../../../simulation/examples/worked-example.ts';
import type { Plan } from '../../../engine/plan.ts';
import { kindFacts, type ChildKind } from '../../../united-deployment/subsets/child-kind.ts';
import { createUnitedDeploymentController } from '../../../united-deployment/controller.ts';
import {
  kruiseChild,
  kruiseRevision,
  storedByKruise,
} from '../../../united-deployment/kruise/kruise.fixture.ts';
import type { ChildWorkload, PodTemplate } from '../../child.ts';
import { withLiveHostPorts } from './host-ports.ts';
import { podsHash } from '../keep-pods.ts';

const { appliedHash } = annotations;

function podsWith(port: object, more: object = {}) {
  const ports = [{ containerPort: 80, ...port }];
  return { hostNetwork: true, containers: [{ name: 'web', image: 'web:1', ports }], ...more };
}

const none = podsWith({});
const stated = podsWith({ hostPort: 80 });
/** What an API server before Kubernetes 1.28 stored of both. */
const filled = podsWith({ hostPort: 80 });

function template(spec: object): PodTemplate {
  return { metadata: { labels: { app: 'web' } }, spec };
}

describe('the host port of a pod on the network of its node', () => {
  it('means the same, stated or not', () => {
    expect(podsHash(template(stated))).toBe(podsHash(template(none)));
  });

  it.each([
    ['0.3.0', '2-nfbw2wn629'],
    ['0.4.0', '2-9snngnp8bp'],
  ])('is in a hash that %s noted, which stays', (_, noted) => {
    const readinessProbe = { tcpSocket: { port: 80 }, initialDelaySeconds: 0 };
    const containers = stated.containers.map((each) => ({ ...each, readinessProbe }));
    const pods = template({ ...stated, containers });
    expect(podsHash(pods, noted)).toBe(noted);
    expect(podsHash(pods)).not.toBe(noted);
  });

  it.each<readonly [string, object, object]>([
    ['without the network of the node', { ...stated, hostNetwork: false }, { ...none, hostNetwork: false }],
    ['that is another one', podsWith({ hostPort: 81 }), none],
  ])('is a difference %s', (_, one, other) => {
    expect(podsHash(template(one))).not.toBe(podsHash(template(other)));
    expect(withLiveHostPorts(template(other), template(one))).toEqual(template(other));
  });

  it('stays in the form of the live pods, of each container and protocol for itself', () => {
    const ports = (first: object, second: object) => [
      { containerPort: 53, protocol: 'TCP', ...first },
      { containerPort: 53, protocol: 'UDP', ...second },
    ];
    const pods = (first: object, second: object) => ({
      hostNetwork: true,
      initContainers: [{ name: 'proxy', restartPolicy: 'Always', ports: ports(second, first) }],
      containers: [{ name: 'none' }, { name: 'dns', ports: ports(first, second) }],
    });
    const found = template(pods({ hostPort: 53 }, {}));
    expect(withLiveHostPorts(template(pods({}, { hostPort: 53 })), found)).toEqual(found);
  });

  it.each([{ containers: 'x' }, { containers: [7, { name: 'web', ports: 'x' }] }, {}])(
    'is no matter where there are no ports: %j',
    (spec) => {
      const pods = template({ hostNetwork: true, ...spec });
      expect(withLiveHostPorts(pods, template(filled))).toEqual(pods);
      expect(withLiveHostPorts(template(none), pods)).toEqual(template(none));
    },
  );
});

describe('a child of OpenKruise with host ports that an API server filled in', () => {
  it.each(['Deployment', 'StatefulSet'] as const)('keeps them as a %s is taken over, and later', (kind) => {
    const { world, controller, resource } = taken(kind);
    expect(hostPorts(applied(world.untilSteady(controller, 'ns/web')))).toEqual([80]);
    world.untilSteady(controller, 'ns/web');
    expect(world.reconcile(controller, 'ns/web').plan.stages).toEqual([]);
    expect(world.list(controllerRevisions)).toHaveLength(1);
    // A change of something else is written with them too.
    spreadExample.editSpec(world, () => ({ replicas: 4 }));
    expect(hostPorts(applied(world.untilSteady(controller, 'ns/web')))).toEqual([80]);
    expect(hostPortOf(world.list(resource)[0])).toBe(80);
  });

  it('keeps them where Kruise wrote it once more after Atoll had', () => {
    const { world, controller, resource } = taken('Deployment');
    world.untilSteady(controller, 'ns/web');
    const [child] = world.list(resource);
    if (child === undefined) throw new Error('no child');
    // As Atoll notes it of a child without them: annotations stay when the old operator writes.
    const without = taken('Deployment', none);
    without.world.untilSteady(without.controller, 'ns/web');
    const bare = without.world.list(resource)[0]?.metadata.annotations?.[appliedHash] ?? '';
    world.edit(resource, keyOf(child), (found) => ({
      ...found,
      metadata: {
        ...found.metadata,
        annotations: { ...found.metadata.annotations, [appliedHash]: bare },
        managedFields: [
          { ...maker, manager: 'atoll', operation: 'Apply' },
          { manager: 'kruise-manager', operation: 'Update' },
        ],
      },
    }));
    // Once before the old entry becomes ours, and once after.
    expect(hostPorts(applied(world.untilSteady(controller, 'ns/web')))).toEqual([80, 80]);
  });

  /** As an API server before 1.28 fills them into what Atoll writes. */
  it('is left alone where an earlier release of Atoll applied it without them', () => {
    const { world, controller } = spreadExample.spread(
      spreadExample.web([spreadExample.zone('a')], 'Deployment', {
        replicas: 2,
        template: templateOf('Deployment', none),
      }),
    );
    world.untilSteady(controller, 'ns/web');
    const resource = deployments as Resource<ChildWorkload>;
    fill(world, resource);
    spreadExample.rollOut(world);
    world.untilSteady(controller, 'ns/web');
    const before = world.list(resource);
    expect(world.reconcile(controller, 'ns/web').plan.stages).toEqual([]);
    expect(world.list(resource)).toEqual(before);
  });
});

describe('a child of OpenYurt with host ports that an API server filled in', () => {
  it('is as its template says, and no difference that an older operator left', () => {
    const { world, controller } = left({ revision }, [maker], none);
    fill(world, deployments as Resource<ChildWorkload>);
    const before = templates(world);
    world.untilSteady(controller, 'ns/web');
    worked.rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(templates(world)).toEqual(before);
    expect(readyOf(world)).toMatchObject({ status: 'True', reason: 'RolloutComplete' });
  });

  it('restarts no pod when the template that the old webhook filled loses them', () => {
    const { world, controller } = left({ revision }, [maker], filled);
    world.untilSteady(controller, 'ns/web');
    worked.rollOut(world);
    world.untilSteady(controller, 'ns/web');
    const before = templates(world);
    worked.editPods(world, () => none);
    world.untilSteady(controller, 'ns/web');
    expect(templates(world)).toEqual(before);
    expect(world.list(controllerRevisions)).toHaveLength(1);
    expect(world.get(yurtAppDaemons, worked.webKey).status?.updateRevision).toBe(revision);
  });
});

const maker = {
  manager: 'kruise-manager',
  operation: 'Update',
  fieldsV1: { 'f:spec': { 'f:selector': {}, 'f:replicas': {} } },
} as const;

function templateOf(kind: ChildKind, pods: object): UnitedDeployment['spec']['template'] {
  const metadata = { labels: { app: 'web' } };
  const given = { metadata, spec: { template: { metadata, spec: pods } } };
  return { [kindFacts[kind].member]: given } as UnitedDeployment['spec']['template'];
}

/** As a Kruise that was stopped leaves it. */
function taken(kind: ChildKind, live: object = filled) {
  const world = new FreshWorld();
  const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
  const workload = spreadExample.web([spreadExample.zone('a')], kind, {
    replicas: 2,
    template: templateOf(kind, none),
  });
  const owner = world.put(unitedDeployments, storedByKruise(workload));
  const written = kruiseRevision(owner, 1);
  world.put(controllerRevisions, written);
  const { name } = written.metadata;
  const child = kruiseChild({ owner, subset: 'a', suffix: 'x7k2p', revision: name, replicas: 2 });
  world.put(resource, {
    ...child,
    metadata: { ...child.metadata, managedFields: [maker] },
  } as KubeObject as ChildWorkload);
  if (live === filled) fill(world, resource);
  spreadExample.rollOut(world);
  return { world, resource, controller: createUnitedDeploymentController(world.readers) };
}

function fill(world: FreshWorld, resource: Resource<ChildWorkload>): void {
  for (const child of world.list(resource)) {
    const { template: pods } = child.spec ?? {};
    const spec = { ...pods?.spec, containers: filled.containers };
    world.edit(resource, keyOf(child), (found) => ({
      ...found,
      spec: { ...found.spec, template: { ...pods, spec } },
    }));
  }
}

function applied(reconciles: readonly { readonly plan: Plan }[]): readonly KubeObject[] {
  const steps = reconciles.flatMap(({ plan }) => plan.stages.flatMap((stage) => stage.steps));
  return steps.flatMap((step) => (step.do === 'apply' ? [step.object] : []));
}

function hostPorts(objects: readonly KubeObject[]): readonly unknown[] {
  return objects.map(hostPortOf);
}

function hostPortOf(object: KubeObject | undefined): unknown {
  const { spec } = (object as ChildWorkload).spec?.template ?? {};
  const { containers } = spec as { readonly containers: readonly { readonly ports: readonly object[] }[] };
  return (containers[0]?.ports[0] as { readonly hostPort?: number } | undefined)?.hostPort;
}
