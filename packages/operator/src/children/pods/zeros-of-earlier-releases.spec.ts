import { annotations, type UnitedDeployment } from '@atoll/api';
import { controllerRevisions, deployments, keyOf, type KubeObject, type Resource } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { left, readyOf, revision, withPods } from '../../../simulation/examples/left-example.ts';
import * as spreadExample from '../../../simulation/examples/spread-example.ts';
import * as worked from '../../../simulation/examples/worked-example.ts';
import { kindFacts, type ChildKind } from '../../united-deployment/subsets/child-kind.ts';
import type { ChildWorkload } from '../child.ts';

const { appliedHash, oldRendering, podTemplateHash } = annotations;

function podsWith(ofProbe: object, ofPort: object = {}) {
  const readinessProbe = { tcpSocket: { port: 80 }, ...ofProbe };
  const ports = [{ containerPort: 80, ...ofPort }];
  return { containers: [{ name: 'web', image: 'web:1', ports, readinessProbe }] };
}

const none = podsWith({});
const zeros = podsWith({ initialDelaySeconds: 0, timeoutSeconds: 0 }, { hostPort: 0 });
/** What the API server stores of both. */
const stored = podsWith({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });

function templateOf(kind: ChildKind, pods: object): UnitedDeployment['spec']['template'] {
  const metadata = { labels: { app: 'web' } };
  const given = { metadata, spec: { template: { metadata, spec: pods } } };
  return { [kindFacts[kind].member]: given } as UnitedDeployment['spec']['template'];
}

function spread(kind: ChildKind, pods: object) {
  const template = templateOf(kind, pods);
  const example = spreadExample.spread(
    spreadExample.web([spreadExample.zone('a')], kind, { replicas: 2, template }),
  );
  const { world, controller } = example;
  const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
  world.untilSteady(controller, 'ns/web');
  store(world, resource);
  spreadExample.rollOut(world);
  world.untilSteady(controller, 'ns/web');
  return { ...example, resource };
}

function inPools(pods: Readonly<Record<string, unknown>>) {
  const example = worked.workedExample(withPods(pods), [worked.bj]);
  const { world, controller } = example;
  world.untilSteady(controller, 'ns/web');
  store(world, deployments as Resource<ChildWorkload>);
  worked.rollOut(world);
  world.untilSteady(controller, 'ns/web');
  return { ...example, resource: deployments as Resource<ChildWorkload> };
}

/** The children of the kinds that the API server decodes are stored without zeros, and with defaults. */
function store(world: FreshWorld, resource: Resource<ChildWorkload>): void {
  if (resource.group !== 'apps') return;
  for (const child of world.list(resource)) {
    const { template } = child.spec ?? {};
    const pods = { ...template?.spec, containers: stored.containers };
    world.edit(resource, keyOf(child), (found) => ({
      ...found,
      spec: { ...found.spec, template: { ...template, spec: pods } },
    }));
  }
}

const maker = {
  manager: 'yurt-manager',
  operation: 'Update',
  fieldsV1: { 'f:spec': { 'f:selector': {}, 'f:replicas': {} } },
} as const;

/** As the release wrote them that took a 0 for a difference. */
function note(
  world: FreshWorld,
  resource: Resource<ChildWorkload>,
  hash: string,
  applied: string,
  more: Readonly<Record<string, string>> = {},
): void {
  for (const child of world.list(resource)) {
    const noted = { [podTemplateHash]: hash, [appliedHash]: applied, ...more };
    world.edit(resource, keyOf(child), (found) => ({
      ...found,
      metadata: { ...found.metadata, annotations: { ...found.metadata.annotations, ...noted } },
    }));
  }
}

function podLabels(world: FreshWorld, resource: Resource<ChildWorkload>): unknown {
  return world.list(resource).map(({ spec }) => spec?.template?.metadata?.labels);
}

function isThere(world: FreshWorld, resource: Resource<ChildWorkload>): readonly KubeObject[] {
  return [...world.list(resource), ...world.list(controllerRevisions)];
}

describe('what an earlier release rolled out with zeros that the API server does not keep', () => {
  /** The hashes are those that 0.3.0 writes. */
  it.each<readonly [ChildKind, string, string]>([
    ['Deployment', '6h2875hfdj', 'web-mtwbr65n24'],
    ['StatefulSet', 'gnwjjltfwk', 'web-rpcd78z5lp'],
    ['CloneSet', 'sv2qczhttk', 'web-m84tw8zr8v'],
    ['AdvancedStatefulSet', 'plh5p8962r', 'web-lqgl55mmx2'],
  ])('stays as it is in a %s of a subset', (kind, applied, name) => {
    const { world, controller, resource } = spread(kind, zeros);
    note(world, resource, '2-tx86tcvkln', applied);
    const before = isThere(world, resource);
    world.untilSteady(controller, 'ns/web');
    expect(isThere(world, resource)).toEqual(before);
    expect(world.list(controllerRevisions).map(({ metadata }) => metadata.name)).toEqual([name]);
  });

  it('stays as it is in a Deployment of a pool', () => {
    const { world, controller, resource } = inPools(zeros);
    note(world, resource, '2-dhnvgmncgp', 'stl6xvcm97');
    const before = isThere(world, resource);
    world.untilSteady(controller, 'ns/web');
    expect(isThere(world, resource)).toEqual(before);
    expect(world.list(controllerRevisions).map(({ metadata }) => metadata.name)).toEqual(['web-mtwbr65n24']);
  });

  it('stays as it is in a Deployment of a pool whose pods are as an old operator placed them', () => {
    const { world, controller } = left({ revision }, [maker], { ...worked.podSpec, ...zeros }, [worked.bj]);
    const resource = deployments as Resource<ChildWorkload>;
    world.untilSteady(controller, 'ns/web');
    worked.rollOut(world);
    world.untilSteady(controller, 'ns/web');
    note(world, resource, '2-tbp5rl68dc', 'qfn8q4fb9n', { [oldRendering]: '2-hc7hwgw879' });
    const before = isThere(world, resource);
    world.untilSteady(controller, 'ns/web');
    expect(isThere(world, resource)).toEqual(before);
  });

  it('restarts no pod when the zeros are taken out', () => {
    const { world, controller, resource } = spread('Deployment', zeros);
    note(world, resource, '2-tx86tcvkln', '6h2875hfdj');
    const before = podLabels(world, resource);
    spreadExample.editSpec(world, () => ({ template: templateOf('Deployment', none) }));
    world.untilSteady(controller, 'ns/web');
    expect(podLabels(world, resource)).toEqual(before);
    expect(world.list(controllerRevisions)).toHaveLength(1);
  });
});

describe('zeros that the API server does not keep', () => {
  it.each<ChildKind>(['Deployment', 'StatefulSet', 'CloneSet', 'AdvancedStatefulSet'])(
    'restart no pod of a %s when they are added to a template, and make no revision',
    (kind) => {
      const { world, controller, resource } = spread(kind, none);
      // The note of a person's restart is no part of the template.
      for (const child of world.list(resource)) {
        const { template } = child.spec ?? {};
        const metadata = { ...template?.metadata, annotations: { 'kubectl.kubernetes.io/restartedAt': 'x' } };
        const spec = { ...child.spec, template: { ...template, metadata } };
        world.edit(resource, keyOf(child), (found) => ({ ...found, spec }));
      }
      world.untilSteady(controller, 'ns/web');
      const before = podLabels(world, resource);
      spreadExample.editSpec(world, () => ({ template: templateOf(kind, zeros) }));
      world.untilSteady(controller, 'ns/web');
      expect(podLabels(world, resource)).toEqual(before);
      expect(world.list(controllerRevisions)).toHaveLength(1);
    },
  );

  it('are no drift of a child that has none', () => {
    const { world, controller, resource } = spread('Deployment', zeros);
    store(world, resource);
    expect(world.reconcile(controller, 'ns/web').outcome.results).toEqual([]);
  });

  it('do not hold a take-over', () => {
    const template = { metadata: { labels: { app: 'web' } }, spec: { ...worked.podSpec, ...stored } };
    const { world, controller } = left({ revision, spec: { template } }, [maker], {
      ...worked.podSpec,
      ...zeros,
    });
    world.untilSteady(controller, 'ns/web');
    worked.rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(readyOf(world)?.reason).toBe('RolloutComplete');
  });
});
