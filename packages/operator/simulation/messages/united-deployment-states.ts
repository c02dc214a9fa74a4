import { kruiseManager, labels, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import {
  ApiError,
  controllerRevisions,
  deployments,
  pods,
  statefulSets,
  validatingWebhookConfigurations,
} from '@atoll/kube';
import type { Deployment, KubeObject, Resource } from '@atoll/kube';
import { FreshWorld } from '../examples/fresh-world.ts';
import {
  childOf,
  editSpec,
  partlyScheduled,
  putPod,
  rollOut,
  setImage,
  spread,
  threeZones,
  unschedulable,
  web,
  webKey,
  zone,
} from '../examples/spread-example.ts';
import { putLeftByKruise } from '../examples/left-by-kruise.ts';
import { createUnitedDeploymentController } from '../../src/united-deployment/controller.ts';
import { describeState } from './describe-state.ts';

const key = 'ns/web';
const object = [unitedDeployments as Resource<KubeObject>, webKey] as const;

type Example = ReturnType<typeof spread>;

/** What a UnitedDeployment shows in every state that has words of its own. */
export function unitedDeploymentStates(): readonly string[] {
  return [
    state('a new workload', spread()),
    state('all pods are available', steady()),
    state('the image changes', steady(), ({ world }) => setImage(world, 'web:2')),
    state('the total grows', steady(), ({ world }) => editSpec(world, () => ({ replicas: 8 }))),
    state('the caches have not synced', steady(), ({ world }) => world.unsynced.add('subsetPods')),
    state('a subset is removed', steady(), ({ world }) => {
      editSpec(world, () => ({ topology: { subsets: [zone('a'), zone('b')] } }));
    }),
    state('there are no subsets', steady(), ({ world }) => {
      editSpec(world, () => ({ topology: { subsets: [] } }));
    }),
    state('the selector is empty', steady(), ({ world }) => editSpec(world, () => ({ selector: {} }))),
    state('there is no template', steady(), ({ world }) => {
      editSpec(world, () => ({ template: {} as UnitedDeployment['spec']['template'] }));
    }),
    state('the kind of the template is not installed', steady(), ({ world }) => {
      world.unserved.add('cloneSets');
      editSpec(world, () => ({ template: web(threeZones, 'CloneSet').spec.template }));
    }),
    state('the kind of the template cannot be read', steady(web(threeZones, 'CloneSet')), ({ world }) => {
      const why = 'watch clonesets.apps.kruise.io: clonesets.apps.kruise.io is forbidden';
      world.unreadable.set('cloneSets', { since: world.now, why });
    }),
    state('a patch cannot be merged', steady(), ({ world }) => {
      const patch = { spec: { containers: 'none' } };
      editSpec(world, () => ({ topology: { subsets: [zone('a'), zone('b', { patch })] } }));
    }),
    state('a partition is negative', steady(web(threeZones, 'StatefulSet')), ({ world }) => {
      editSpec(world, () => ({
        updateStrategy: { type: 'Manual', manualUpdate: { partitions: { b: -1 } } },
      }));
    }),
    state('the numbers of the subsets cannot be met', steady(), ({ world }) => {
      const subsets = [zone('a', { replicas: 1 }), zone('b', { replicas: 2 })];
      editSpec(world, () => ({ topology: { subsets } }));
    }),
    state('the numbers of the subsets stay as OpenKruise left them', leftWithNumbers({ a: 4, b: 0 })),
    state('the total is left out', spread(web(threeZones, 'Deployment', withoutTotal))),
    state(
      'the total cannot be filled in',
      spread(web(threeZones, 'Deployment', withoutTotal)),
      ({ world }) => {
        refuse(world, unitedDeployments, 'patch');
      },
    ),
    state(
      'every subset has replicas, the total is left out, and the schedule strategy is Adaptive',
      spread(web([], 'Deployment', { ...withoutTotal, topology: adaptiveWithNumbers })),
    ),
    state('replicas move from one subset to another', steady(), ({ world }) => {
      editSpec(world, () => ({ topology: { subsets: [zone('a', { replicas: 3 }), zone('b'), zone('c')] } }));
    }),
    state('replicas move to a child that may not have them', steady(), ({ world }) => {
      refuse(world, deployments, 'apply');
      editSpec(world, () => ({ topology: { subsets: [zone('a', { replicas: 3 }), zone('b'), zone('c')] } }));
    }),
    state('a child is refused', spread(), ({ world }) => refuse(world, deployments, 'create-by-apply')),
    state('a name conflict with an object of somebody else', steady(), ({ world }) => {
      const { name } = childOf(world, 'a').metadata;
      world.remove(deployments as Resource<KubeObject>, { namespace: 'ns', name });
      world.put(deployments as Resource<KubeObject>, { metadata: { namespace: 'ns', name } });
    }),
    state('pods are unschedulable', placed(), ({ world }) => partlyScheduled(world, 'a', 1)),
    state('a new pod is unschedulable, and no older one may go first', steady(), ({ world, controller }) => {
      setImage(world, 'web:2');
      world.untilSteady(controller, key);
      surgeWithoutRoom(world, 'a');
    }),
    state(
      'pods are unschedulable, and are to be reserved',
      placed({ reserveUnschedulablePods: true }),
      ({ world }) => {
        partlyScheduled(world, 'a', 1);
        world.now += 31_000;
      },
    ),
    state(
      'reserved pods are available again',
      placed({ reserveUnschedulablePods: true }),
      ({ world, controller }) => {
        partlyScheduled(world, 'a', 1);
        world.now += 31_000;
        world.untilSteady(controller, key);
        rollOut(world);
      },
    ),
    state('a pod cannot be labelled', placed({ reserveUnschedulablePods: true }), ({ world }) => {
      partlyScheduled(world, 'a', 1);
      world.now += 31_000;
      refuse(world, pods, 'patch');
    }),
    state('a broken pod blocks a StatefulSet', broken(), ({ world }) => (world.now += 61_000)),
    state('a child is paused', steady(), ({ world, controller }) => {
      setImage(world, 'web:2');
      world.untilSteady(controller, key);
      const { name } = childOf(world, 'a').metadata;
      world.edit(deployments as Resource<KubeObject>, { namespace: 'ns', name }, (found) => ({
        ...found,
        spec: { ...(found as { readonly spec?: object }).spec, paused: true },
      }));
    }),
    state('the UnitedDeployment was deleted without its children and made again', orphaned()),
    state('a child that nobody owns has no subset any more', leftBehind()),
    state('somebody gave it a child that names no subset', steady(), ({ world }) => {
      const { uid } = world.get(unitedDeployments, webKey).metadata;
      const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'UnitedDeployment', name: 'web', uid };
      const metadata = { namespace: 'ns', name: 'given', ownerReferences: [{ ...owner, controller: true }] };
      world.put(deployments as Resource<KubeObject>, { metadata });
    }),
    state("OpenKruise's manager runs", steady(), ({ world }) => {
      const metadata = { namespace: 'kruise-system', name: kruiseManager.workload };
      world.put(deployments, { metadata, spec: { replicas: 2 }, status: {} } as unknown as Deployment);
    }),
    state('somebody else wrote the status as OpenKruise does', steady(), ({ world }) => {
      statusWrittenBy(world, 'atoll');
      world.now += 5_000;
      statusWrittenBy(world, kruiseManager.fieldManager);
    }),
    state('OpenKruise left its webhooks', steady(), ({ world }) => leaveWebhooks(world)),
  ];
}

function state(
  title: string,
  example: Example,
  act: (example: Example) => unknown = () => undefined,
): string {
  act(example);
  return describeState({ title, ...example, key, object });
}

function steady(workload?: UnitedDeployment): Example {
  const example = spread(workload);
  example.world.untilSteady(example.controller, key);
  rollOut(example.world);
  example.world.untilSteady(example.controller, key);
  return example;
}

/** As a Kruise that was stopped leaves ready pods of a subset before the minimum of another one. */
function leftWithNumbers(standing: Readonly<Record<string, number>>): Example {
  const world = new FreshWorld();
  const subsets = [zone('a', { minReplicas: 1, maxReplicas: 4 }), zone('b', { minReplicas: 2 })];
  const topology = { subsets, scheduleStrategy: { type: 'Adaptive' } } as const;
  putLeftByKruise(world, 'Deployment', web(subsets, 'Deployment', { replicas: 4, topology }), (child) => ({
    ...child,
    spec: { ...child.spec, replicas: standing[child.metadata.labels?.[labels.subsetName] ?? ''] },
  }));
  rollOut(world);
  const controller = createUnitedDeploymentController(world.readers, world.findings);
  world.untilSteady(controller, key);
  return { world, controller };
}

const withoutTotal = { replicas: undefined } as unknown as Partial<UnitedDeployment['spec']>;

/** As an object has it that was stored before a schema refused it. */
const adaptiveWithNumbers = {
  subsets: [zone('a', { replicas: 1 }), zone('b', { replicas: 2 })],
  scheduleStrategy: { type: 'Adaptive' as const },
};

/** Two replicas over a, which takes what it can, and b. */
function placed(more: object = {}): Example {
  const adaptive = { rescheduleCriticalSeconds: 30, unschedulableDuration: 300, ...more };
  const topology = {
    subsets: [zone('a', { maxReplicas: 2 }), zone('b')],
    scheduleStrategy: { type: 'Adaptive' as const, adaptive },
  };
  const example = spread(web([], 'Deployment', { replicas: 2, topology }));
  example.world.untilSteady(example.controller, key);
  return example;
}

/** A StatefulSet whose pods never became ready, and then another image. */
function broken(): Example {
  const example = steady(web([zone('a')], 'StatefulSet', { replicas: 1 }));
  const { world, controller } = example;
  setImage(world, 'web:2', 'StatefulSet');
  world.untilSteady(controller, key);
  const child = childOf(world, 'a', 'StatefulSet');
  const { name, namespace = '', generation = 0 } = child.metadata;
  world.remove(pods as Resource<KubeObject>, { namespace: 'ns', name: `${name}-0` });
  putPod(world, 'StatefulSet', child, 0, { ready: false, labels: { 'controller-revision-hash': 'old' } });
  const status = { observedGeneration: generation, replicas: 1, updatedReplicas: 0, updateRevision: 'new' };
  world.edit(statefulSets as Resource<KubeObject>, { namespace, name }, (found) => ({ ...found, status }));
  world.untilSteady(controller, key);
  return example;
}

function orphaned(): Example {
  const example = steady();
  const { world } = example;
  const { spec } = world.get(unitedDeployments, webKey);
  for (const resource of [deployments, controllerRevisions] as readonly Resource<KubeObject>[]) {
    for (const { metadata } of world.list(resource)) {
      const { name, namespace = '' } = metadata;
      world.edit(resource, { namespace, name }, (found) => ({
        ...found,
        metadata: { ...found.metadata, ownerReferences: [] },
      }));
    }
  }
  world.remove(unitedDeployments as Resource<KubeObject>, webKey);
  world.put(unitedDeployments, { metadata: webKey, spec });
  return example;
}

/** As a deletion with `--cascade=orphan` leaves it, when the object is made again without one of its subsets. */
function leftBehind(): Example {
  const example = orphaned();
  const { world, controller } = example;
  editSpec(world, () => ({ topology: { subsets: [zone('a'), zone('b')] } }));
  world.untilSteady(controller, key);
  rollOut(world);
  return example;
}

function statusWrittenBy(world: FreshWorld, manager: string): void {
  const time = new Date(world.now).toISOString().replace('.000Z', 'Z');
  world.edit(unitedDeployments, webKey, (found) => {
    const entries = (found.metadata.managedFields ?? []).filter((entry) => entry.manager !== manager);
    const managedFields = [...entries, { manager, subresource: 'status', time }];
    return { ...found, metadata: { ...found.metadata, managedFields } };
  });
}

function leaveWebhooks(world: FreshWorld): void {
  world.put(validatingWebhookConfigurations, {
    metadata: { name: kruiseManager.validatingWebhooks },
    webhooks: [
      {
        name: 'vuniteddeployment.kb.io',
        failurePolicy: 'Fail',
        rules: [{ resources: ['uniteddeployments'] }],
        clientConfig: {},
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
}

/** The child has its old pods, and one of the new template that no node takes. */
function surgeWithoutRoom(world: FreshWorld, subset: string): void {
  const child = childOf(world, subset);
  const { name, namespace = '', generation: observedGeneration = 0 } = child.metadata;
  const { replicas = 1 } = child.spec ?? {};
  putPod(world, 'Deployment', child, replicas, unschedulable(new Date(world.now).toISOString()));
  const ready = { readyReplicas: replicas, availableReplicas: replicas };
  const status = { replicas: replicas + 1, updatedReplicas: 1, ...ready, observedGeneration };
  world.edit(deployments as Resource<KubeObject>, { namespace, name }, (found) => ({ ...found, status }));
}

function refuse(world: FreshWorld, resource: object, verb: string): void {
  const refusal = { fate: 'refused', code: 403, reason: 'Forbidden', message: 'denied by policy' } as const;
  world.refuse = (operation) =>
    (operation.resource as object) === resource && operation.verb === verb && !('subresource' in operation)
      ? new ApiError({ ...refusal, attempted: verb })
      : undefined;
}
