import {
  annotations,
  labels,
  nodePools,
  unitedDaemonSets,
  yurtAppDaemons,
  yurtManagers,
  type PoolWorkload,
} from '@atoll/api';
import {
  controllerRevisions,
  deployments,
  definitionName,
  formatKey,
  groupResourceOf,
  keyOf,
  statefulSets,
  type ApiError,
} from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import type { KubeObject, Resource } from '@atoll/kube';
import type { FreshWorld } from '../examples/fresh-world.ts';
import { left, revision } from '../examples/left-example.ts';
import {
  bj,
  childIn,
  editPods,
  editTemplate,
  hz,
  rollOut,
  web,
  webKey,
  workedExample,
} from '../examples/worked-example.ts';
import { definitions } from '../model/definitions.ts';
import { changedBackError } from '../../src/engine/executor/answers/changed-back.ts';
import { createPoolWorkloadController, unitedDaemonSetKind } from '../../src/pool-workload/controller.ts';
import { exampleFindings } from '../../src/causes/examples.fixture.ts';
import { noteStatusWriter } from '../neighbours/old-yurt-controller.ts';
import { describeState } from './describe-state.ts';

const key = 'ns/web';
const object = [yurtAppDaemons as Resource<KubeObject>, webKey] as const;

type Example = Pick<ReturnType<typeof workedExample>, 'world' | 'controller'>;

/** What a workload for pools shows in every state that has words of its own. */
export function poolWorkloadStates(): readonly string[] {
  return [
    state('a new workload', workedExample()),
    state('all pods are available', steady()),
    state('the image changes', steady(), ({ world }) => setImage(world)),
    state('a pool has no nodes', workedExample(), ({ world }) => addPool(world, 'sh', { readyNodeNum: 0 })),
    state('no pool is selected', workedExample(web, [])),
    state('the definition of NodePools was deleted, with all pools', steady(), ({ world }) => {
      world.end(definitions, { name: definitionName(nodePools) });
      for (const { metadata } of world.list(nodePools)) world.remove(nodePools, { name: metadata.name });
    }),
    state('the caches have not synced', steady(), ({ world }) => world.unsynced.add('nodePools')),
    state('the quota is exhausted in one pool', workedExample(), ({ world }) => {
      world.refuse = (operation) =>
        concernsPool(operation, 'bj') ? refused(operation, 'exceeded quota: small') : undefined;
    }),
    state('another writer changes a child back each time', steady(), ({ world }) => {
      setImage(world);
      world.refuse = (operation) =>
        concernsPool(operation, 'bj') ? changedBackError('apply deployments.apps ns/web-bj') : undefined;
    }),
    state('the API server asks to wait', steady(), ({ world }) => {
      setImage(world);
      world.refuse = ({ resource }) => ((resource as object) === deployments ? askedToWait() : undefined);
    }),
    state('a revision is refused', workedExample(), ({ world }) => {
      world.refuse = (operation) =>
        (operation.resource as object) === controllerRevisions
          ? refused(operation, 'denied by policy')
          : undefined;
    }),
    state('a name conflict with an object of somebody else', workedExample(), ({ world }) => {
      world.put(deployments, { ...bare(), metadata: { name: nameIn('hz'), namespace: 'ns' } });
    }),
    state('a child has no owner and was made for the other kind of this name', lostByOther()),
    state('the old child is still being deleted', steady(), deleteChild),
    state('the old child is still there ten minutes after it was deleted', steady(), (example) => {
      deleteChild(example);
      example.world.now += 600_000;
    }),
    state('a pool has two children', steady(), ({ world }) => {
      const child = childIn(world, 'hz');
      if (child === undefined) throw new Error('hz has no child');
      world.now += 5_000;
      const { name: _name, uid: _uid, resourceVersion: _version, ...metadata } = child.metadata;
      world.put(deployments, { ...child, metadata: { ...metadata, name: 'web-hz-second' } });
    }),
    state('somebody changes a child', steady(), ({ world }) => {
      world.edit(deployments, { namespace: 'ns', name: nameIn('hz') }, (found) => ({
        ...found,
        spec: { ...found.spec, replicas: 7 },
      }));
    }),
    state('the rollout of the template is paused', steady(), ({ world }) => {
      editTemplate(world, (spec) => ({ ...spec, paused: true }));
      setImage(world);
    }),
    state('the update strategy is OnDelete', onDelete()),
    state('a Deployment exceeds its progress deadline', steady(), ({ world }) => {
      const late = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' };
      const message = 'ReplicaSet "web-hz-1" has timed out progressing.';
      world.edit(deployments, { namespace: 'ns', name: nameIn('hz') }, (found) => ({
        ...found,
        status: { ...found.status, availableReplicas: 0, conditions: [{ ...late, message }] },
      }));
    }),
    ...exampleFindings().map((finding) =>
      state(`the pods of a child show ${finding.word}`, steady(), ({ world }) => {
        setImage(world);
        world.findings.set(childIn(world, 'hz')?.metadata.uid ?? '', finding);
      }),
    ),
    state('the template becomes one of StatefulSets, and a pool is being deleted', steady(), ({ world }) => {
      world.edit(nodePools, { name: 'hz' }, withFinalizer);
      world.remove(nodePools as Resource<KubeObject>, { name: 'hz' });
      respec(world, { workloadTemplate: statefulTemplate({}) });
    }),
    state('the name of a pool is too long', workedExample(), ({ world }) => addPool(world, 'x'.repeat(64))),
    state('a pool is not selected any more', steady(), ({ world }) => {
      world.edit(nodePools, { name: 'hz' }, (found) => ({
        ...found,
        metadata: { ...found.metadata, labels: {} },
      }));
    }),
    state('the template becomes one of StatefulSets', steady(), ({ world, controller }) => {
      respec(world, { workloadTemplate: statefulTemplate({}) });
      world.untilSteady(controller, key);
      rollOut(world);
    }),
    state('the template becomes one of StatefulSets, whose pods find no node', steady(), (example) => {
      respec(example.world, { workloadTemplate: statefulTemplate({}) });
      findNoNode(example, statefulSets);
    }),
    state('no older pod goes before a new one is available, which finds no node', steady(), (example) => {
      setImage(example.world);
      findNoNode(example, deployments);
      for (const child of example.world.list(deployments)) {
        const { replicas = 1 } = child.spec ?? {};
        const counts = { replicas: replicas + 1, updatedReplicas: 1, availableReplicas: replicas };
        const status = { ...counts, observedGeneration: child.metadata.generation ?? 0 };
        example.world.edit(deployments, keyOf(child), (found) => ({ ...found, status }));
      }
    }),
    state("OpenYurt's yurt-manager wrote the status, and is not seen", steady(), ({ world }) =>
      noteStatusWriter(world, yurtManagers.manager),
    ),
    state("OpenYurt's yurt-app-manager wrote the status", steady(), ({ world }) => {
      const metadata = { namespace: 'kube-system', name: yurtManagers.appManager };
      const spec = { replicas: 1, selector: {}, template: { spec: { containers: [] } } };
      world.put(deployments, { metadata, spec });
      noteStatusWriter(world, yurtManagers.appManager);
    }),
    state('there is no template', steady(), ({ world }) => respec(world, { workloadTemplate: {} })),
    state('the selector of pools cannot be understood', steady(), ({ world }) =>
      respec(world, { nodepoolSelector: { matchExpressions: [{ key: 'tier', operator: 'Near' }] } }),
    ),
    state(
      'the template does not set replicas any more',
      left({ revision }, [{ ...byOldOperator, manager: 'atoll', operation: 'Apply' }]),
      ({ world }) => editTemplate(world, ({ replicas: _replicas, ...spec }) => spec),
    ),
    state('the history is longer than the limit', steady(), ({ world, controller }) => {
      respec(world, { revisionHistoryLimit: 0 });
      setImage(world);
      world.untilSteady(controller, key);
      rollOut(world);
    }),
    state('an older operator made the children', left({ revision }, [byOldOperator])),
    state('an older operator left an older template', keptAsFound()),
    state('an older operator left an older template, whose pods fail', failing(keptAsFound())),
    state('a YurtAppOverrider changed a child', overridden()),
    state('a YurtAppOverrider changed a child, whose pods fail', failing(overridden(), 'web-hz')),
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

function steady(): Example {
  const example = workedExample();
  example.world.untilSteady(example.controller, key);
  rollOut(example.world);
  example.world.untilSteady(example.controller, key);
  return example;
}

/** A UnitedDaemonSet of the same name was there first, and one of its children has lost its owner. */
function lostByOther(): Example {
  const example = workedExample();
  const { world } = example;
  world.put(unitedDaemonSets, web);
  world.untilSteady(createPoolWorkloadController(unitedDaemonSetKind, world.readers), key);
  const { metadata } = childIn(world, 'hz') ?? { metadata: { name: '' } };
  world.edit(deployments, { namespace: 'ns', name: metadata.name }, (found) => ({
    ...found,
    metadata: { ...found.metadata, ownerReferences: [] },
  }));
  return example;
}

/** The pods of the children that the template asks for are not scheduled. */
function findNoNode({ world, controller }: Example, resource: Resource<KubeObject>): void {
  world.untilSteady(controller, key);
  const unschedulable = exampleFindings().find(({ word }) => word === 'PodsUnschedulable');
  if (unschedulable === undefined) throw new Error('there is no example of PodsUnschedulable');
  for (const { metadata } of world.list(resource)) world.findings.set(metadata.uid, unschedulable);
}

function deleteChild({ world, controller }: Example): void {
  const name = { namespace: 'ns', name: nameIn('hz') };
  world.edit(deployments, name, withFinalizer);
  world.untilSteady(controller, key);
  world.remove(deployments, name);
}

function withFinalizer<T extends KubeObject>(found: T): T {
  return { ...found, metadata: { ...found.metadata, finalizers: ['x/y'] } };
}

function onDelete(): Example {
  const workloadTemplate = statefulTemplate({ updateStrategy: { type: 'OnDelete' } });
  const example = workedExample({ ...web, spec: { ...web.spec, workloadTemplate } }, [hz]);
  const { world, controller } = example;
  world.untilSteady(controller, key);
  for (const child of world.list(statefulSets)) {
    const counts = { replicas: 2, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 0 };
    const status = { ...counts, observedGeneration: child.metadata.generation ?? 0 };
    world.edit(statefulSets, keyOf(child), (found) => ({ ...found, status }));
  }
  return example;
}

const byOldOperator = {
  manager: 'yurt-manager',
  operation: 'Update',
  fieldsV1: { 'f:spec': { 'f:selector': {}, 'f:replicas': {} } },
} as const;

function keptAsFound(): Example {
  const template = web.spec.workloadTemplate?.deploymentTemplate?.spec?.template;
  const pods = { ...template?.spec, containers: [{ name: 'web', image: 'web:0' }] };
  return left({ revision, spec: { template: { ...template, spec: pods } } as never }, [byOldOperator]);
}

/** Once its children are taken over, those whose names begin so. */
function failing(example: Example, those = 'web'): Example {
  const { world, controller } = example;
  world.untilSteady(controller, key);
  const failed = exampleFindings().find(({ word }) => word === 'ImagePullBackOff');
  for (const { metadata } of world.list(deployments)) {
    if (!metadata.name.startsWith(those)) continue;
    if (failed !== undefined) world.findings.set(metadata.uid, failed);
    world.edit(deployments, { namespace: 'ns', name: metadata.name }, (found) => ({
      ...found,
      status: { ...found.status, availableReplicas: 0 },
    }));
  }
  return example;
}

function overridden(): Example {
  const { world, controller } = left({ revision });
  for (const { metadata } of world.list(deployments)) {
    if (!metadata.name.startsWith('web-hz')) continue;
    world.edit(deployments, { namespace: 'ns', name: metadata.name }, (found) => ({
      ...found,
      metadata: {
        ...found.metadata,
        annotations: { ...found.metadata.annotations, [annotations.lastOverrideTime]: '2024-05-01 10:00:00' },
      },
      spec: { ...found.spec, replicas: 7 } as NonNullable<typeof found.spec>,
    }));
  }
  return { world, controller };
}

function statefulTemplate(fields: object): NonNullable<PoolWorkload['spec']['workloadTemplate']> {
  const { metadata, spec } = web.spec.workloadTemplate?.deploymentTemplate ?? {};
  return { statefulSetTemplate: { metadata, spec: { ...spec, ...fields } } } as never;
}

function setImage(world: FreshWorld): void {
  editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
}

function respec(world: FreshWorld, fields: object): void {
  world.edit(yurtAppDaemons, webKey, (found) => ({ ...found, spec: { ...found.spec, ...fields } }));
}

function addPool(world: FreshWorld, name: string, status: object = {}): void {
  world.put(nodePools, {
    metadata: { name, labels: { tier: 'a' } },
    status: { nodes: [], unreadyNodeNum: 0, ...status },
  });
}

/** The name that the child of a pool is given in this example. */
function nameIn(pool: string): string {
  const { world, controller } = workedExample(web, [hz, bj]);
  world.untilSteady(controller, key);
  return childIn(world, pool)?.metadata.name ?? '';
}

function bare() {
  return { spec: { selector: {}, template: {} } };
}

type Operation = Parameters<FreshWorld['refuse']>[0];

function concernsPool(operation: Operation, pool: string): boolean {
  return 'object' in operation && operation.object.metadata.labels?.[labels.poolName] === pool;
}

/** As the client reports it: children and revisions are created by apply. */
function refused(operation: Operation, message: string): ApiError {
  const name = 'object' in operation ? formatKey(operation.object.metadata) : '';
  return refusalOf(403, `apply ${groupResourceOf(operation.resource)} ${name}`, message);
}

function askedToWait(): ApiError {
  const message = 'the server has received too many requests and has asked us to try again later';
  return refusalOf(429, 'apply', message);
}
