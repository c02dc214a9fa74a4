// The operator as users run it: a process of its own, under its own ServiceAccount, on a real cluster.
import {
  annotations,
  labels,
  nodePools,
  unitedDaemonSets,
  yurtAppDaemons,
  type NodePool,
  type PoolWorkload,
} from '@atoll/api';
import {
  deployments,
  nodes,
  pods,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  type Node,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import {
  checkHistory,
  concernsWrite,
  deletesCarryUid,
  noWastedWrites,
  silentSince,
  writesOf,
  type RunningOperator,
} from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, childrenOf, daemon, imageOf, pool, samples, setImage } from '../set-up/objects.ts';
import {
  operatorUser,
  restless,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf, eventsAbout, eventually } from '../set-up/standing.ts';

let world: OperatorControlPlane;
let client: StreamingClient;
let operator: RunningOperator;

beforeAll(async () => {
  const fleet = { pools: ['hangzhou', 'beijing', 'shanghai', 'site-1', 'site-2'], nodesPerPool: 2 };
  world = await sharedOperatorControlPlane({ fleet });
  ({ client } = world);
  await world.controlPlane.addNodes({ nodes: 3 });
  operator = await world.start({ args: withoutElection });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

async function isReady(name: string): Promise<void> {
  await eventually(async () => {
    expect(await conditionsOf(client, yurtAppDaemons, name, 'default')).toMatchObject({
      Ready: { status: 'True', reason: 'RolloutComplete' },
    });
  });
}

/** Applies pools and a workload for them, both named after the test's label. */
async function rolledOut(group: string, names: readonly string[], shape: object = {}): Promise<PoolWorkload> {
  const pools = { [group]: 'yes' };
  for (const name of names) await apply(client, nodePools, pool(name, pools));
  const workload = await apply(client, yurtAppDaemons, daemon({ name: group, pools, replicas: 0, ...shape }));
  await isReady(group);
  return workload;
}

/** The conditions about a spec in each version of a workload that the recording has seen. */
function conditionsSeen({ metadata: { name, generation } }: Stored<PoolWorkload>): readonly unknown[] {
  const versions = world.recording.events.filter(
    (event) => event.name === name && event.resource === 'yurtappdaemons.apps.openyurt.io',
  );
  return versions.flatMap(({ object }) => {
    const { status } = object as Stored<PoolWorkload>;
    return status?.observedGeneration === generation ? [status?.conditions] : [];
  });
}

async function nodeNamed(name: string): Promise<Stored<Node>> {
  return client.get(nodes, { name });
}

async function statusOf(name: string): Promise<NonNullable<PoolWorkload['status']>> {
  const { status = {} } = await client.get(yurtAppDaemons, { namespace: 'default', name });
  return status;
}

describe('the samples', () => {
  beforeAll(async () => {
    for (const { resource, object } of samples()) await apply(client, resource, object);
  });

  it('roll out to every pool, and the status shows it', async () => {
    await isReady('nginx');
    await eventually(async () => {
      expect(await conditionsOf(client, unitedDaemonSets, 'pool-dns', 'kube-system')).toMatchObject({
        WorkLoadProvisioned: { status: 'True' },
        WorkLoadUpdated: { status: 'True' },
        WorkLoadFailure: { status: 'False' },
        Ready: { status: 'True', reason: 'RolloutComplete' },
        Progressing: { status: 'False' },
        Degraded: { status: 'False' },
      });
    });
    const { status } = await client.get(unitedDaemonSets, { namespace: 'kube-system', name: 'pool-dns' });
    expect(status).toMatchObject({
      nodepools: ['beijing', 'hangzhou', 'shanghai'],
      templateType: 'Deployment',
      currentRevision: status?.updateRevision,
      workloadSummary: Array(3).fill(
        expect.objectContaining({ replicas: 2, readyReplicas: 2, availableCondition: 'True' }),
      ),
      pools: ['beijing', 'hangzhou', 'shanghai'].map((name) =>
        expect.objectContaining({ name, replicas: 2, updatedReplicas: 2, availableReplicas: 2 }),
      ),
    });
  });

  it('run on nodes of their own pool, the tainted one included', async () => {
    const { items } = await client.list(pods, {
      namespace: 'kube-system',
      labelSelector: 'k8s-app=pool-dns',
    });
    const places = items.map(
      ({ metadata, spec }) =>
        `${metadata.labels?.[labels.poolName]} on ${spec?.nodeName?.replace(/-node-\d+$/, '')}`,
    );
    expect(places.sort()).toEqual(
      ['beijing', 'beijing', 'hangzhou', 'hangzhou', 'shanghai', 'shanghai'].map(
        (name) => `${name} on ${name}`,
      ),
    );
    await eventually(async () => {
      const { spec } = await nodeNamed('shanghai-node-1');
      expect(spec?.taints).toEqual([{ key: 'example.com/edge', value: 'true', effect: 'NoSchedule' }]);
    });
  });

  it('are in events that a person can read', async () => {
    await eventually(async () => {
      const recorded = await eventsAbout(client, 'nginx');
      expect(recorded.map(({ reason, type, note }) => [type, reason, note])).toContainEqual([
        'Normal',
        'Successful CreateWorkload',
        expect.stringMatching(/^Create \d Workload type\(Deployment\): pools .*hangzhou/),
      ]);
    });
  });
});

describe('a pool', () => {
  it('gets its child when it appears, loses it when it stops matching, and again when it is deleted', async () => {
    await rolledOut('coming', ['here-first']);
    const member = { coming: 'yes' };
    const poolsNow = async (): Promise<readonly string[]> =>
      [...(await childrenOf(client, 'coming')).keys()].sort();

    await apply(client, nodePools, pool('late', member));
    await eventually(async () => expect(await poolsNow()).toEqual(['here-first', 'late']));
    await apply(client, nodePools, pool('late', { coming: 'no' }));
    await eventually(async () => expect(await poolsNow()).toEqual(['here-first']));
    await apply(client, nodePools, pool('late', member));
    await eventually(async () => expect(await poolsNow()).toEqual(['here-first', 'late']));
    await client.delete(nodePools, { name: 'late' });
    await eventually(async () => expect(await poolsNow()).toEqual(['here-first']));
    await eventually(async () => expect((await statusOf('coming')).nodepools).toEqual(['here-first']));

    await eventually(async () => {
      const recorded = await eventsAbout(client, 'coming');
      expect(recorded.map(({ reason }) => reason)).toContain('Successful DeleteWorkload');
    });
  });

  it('without nodes waits for them, and reports it', async () => {
    const pools = { empty: 'yes' };
    await apply(client, nodePools, pool('no-machines', pools));
    await apply(client, yurtAppDaemons, daemon({ name: 'empty', pools, replicas: 1 }));
    await eventually(async () => {
      expect(await conditionsOf(client, yurtAppDaemons, 'empty', 'default')).toMatchObject({
        Ready: { status: 'False', reason: 'WaitingForNodes' },
        Degraded: { status: 'False' },
      });
    });
    await world.controlPlane.labelNodes(['node-3'], { [labels.nodePool]: 'no-machines' });
    await isReady('empty');
  });
});

describe('a node', () => {
  const region: NodePool['spec'] = {
    labels: { 'example.com/region': 'north' },
    annotations: { 'example.com/contact': 'site' },
    taints: [{ key: 'example.com/slow', effect: 'PreferNoSchedule' }],
  };

  it('gets what its pool gives when it joins, keeps it against others, and loses it when it leaves', async () => {
    const before = await nodeNamed('node-1');
    await apply(client, nodePools, pool('joined', {}, region));
    await world.controlPlane.labelNodes(['node-1'], { [labels.nodePool]: 'joined' });
    const attributed = async (): Promise<void> => {
      const { metadata, spec } = await nodeNamed('node-1');
      expect(metadata.labels).toMatchObject(region?.labels ?? {});
      expect(metadata.annotations).toMatchObject(region?.annotations ?? {});
      expect(spec?.taints).toEqual(region?.taints);
    };
    await eventually(attributed);
    await eventually(async () => {
      const { status } = await client.get(nodePools, { name: 'joined' });
      expect(status).toMatchObject({ readyNodeNum: 1, unreadyNodeNum: 0, nodes: ['node-1'] });
    });

    await world.controlPlane.labelNodes(['node-1'], { 'example.com/region': 'south' });
    await client.patch(nodes, { name: 'node-1' }, { type: 'merge', body: { spec: { taints: null } } });
    await eventually(attributed);

    await world.controlPlane.labelNodes(['node-1'], { [labels.nodePool]: null });
    await eventually(async () => {
      const { metadata, spec } = await nodeNamed('node-1');
      expect(metadata.labels).toEqual(before.metadata.labels);
      expect(metadata.annotations?.['example.com/contact']).toBeUndefined();
      expect(metadata.annotations?.[annotations.previousAttributes]).toBeUndefined();
      expect(spec?.taints).toBeUndefined();
    });
    await eventually(async () => {
      const { status } = await client.get(nodePools, { name: 'joined' });
      expect(status).toMatchObject({ readyNodeNum: 0, nodes: [] });
    });
  });

  it('is counted as it reports, and a pool that has it is not deleted', async () => {
    await apply(client, nodePools, pool('counted', {}));
    await world.controlPlane.labelNodes(['node-2'], { [labels.nodePool]: 'counted' });
    const counts = async (): Promise<unknown> => {
      const { status } = await client.get(nodePools, { name: 'counted' });
      return [status?.readyNodeNum, status?.unreadyNodeNum];
    };
    await eventually(async () => expect(await counts()).toEqual([1, 0]));
    await world.controlPlane.reportNodes(['node-2'], 'NotReady');
    await eventually(async () => expect(await counts()).toEqual([0, 1]));
    await world.controlPlane.reportNodes(['node-2'], 'Ready');
    await eventually(async () => expect(await counts()).toEqual([1, 0]));
    await expect(client.delete(nodePools, { name: 'counted' })).rejects.toThrow('has nodes, node-2 for one');
  });
});

describe('a change of the template', () => {
  it('rolls every pool in place, and back to the revision that it had', async () => {
    await rolledOut('rolling', ['roll-1', 'roll-2', 'roll-3']);
    const before = await childrenOf(client, 'rolling');
    const { currentRevision: first } = await statusOf('rolling');
    const uidsAndImages = async (): Promise<unknown> =>
      [...(await childrenOf(client, 'rolling')).values()]
        .map((child) => `${child.metadata.uid} ${imageOf(child)}`)
        .sort();
    const expected = (image: string): unknown =>
      [...before.values()].map((child) => `${child.metadata.uid} ${image}`).sort();

    await setImage(client, yurtAppDaemons, 'rolling', 'nginx:1.28');
    await eventually(async () => expect(await uidsAndImages()).toEqual(expected('nginx:1.28')));
    await isReady('rolling');
    await eventually(async () => expect((await statusOf('rolling')).currentRevision).not.toBe(first));

    await setImage(client, yurtAppDaemons, 'rolling', 'nginx:1.27');
    await eventually(async () => expect(await uidsAndImages()).toEqual(expected('nginx:1.27')));
    await eventually(async () => expect((await statusOf('rolling')).currentRevision).toBe(first));
  });

  it('leaves the replicas to the one who scales, where the template has none', async () => {
    await rolledOut('scaled', ['site-1'], { replicas: undefined });
    const child = (await childrenOf(client, 'scaled')).get('site-1');
    const key = { namespace: 'default', name: child?.metadata.name ?? '' };
    await client.patch(
      deployments,
      key,
      { type: 'merge', body: { spec: { replicas: 2 } } },
      { subresource: 'scale', fieldManager: 'kubectl-scale' },
    );
    await setImage(client, yurtAppDaemons, 'scaled', 'nginx:1.28');
    await eventually(async () => {
      const { spec } = await client.get(deployments, key);
      expect([imageOf({ ...child, spec } as typeof child), spec?.replicas]).toEqual(['nginx:1.28', 2]);
    });
  });
});

describe('a child', () => {
  it('comes back when somebody deletes it, under the same name', async () => {
    await rolledOut('deleted', ['gone-1', 'gone-2']);
    const first = (await childrenOf(client, 'deleted')).get('gone-1')?.metadata;
    await client.delete(deployments, { namespace: 'default', name: first?.name ?? '' });
    await eventually(async () => {
      const now = (await childrenOf(client, 'deleted')).get('gone-1')?.metadata;
      expect([now?.name, now?.uid === first?.uid]).toEqual([first?.name, false]);
    });
    await isReady('deleted');
  });

  it('is put back where somebody edits what the template sets, and keeps what it does not', async () => {
    await rolledOut('edited', ['edit-1']);
    const key = {
      namespace: 'default',
      name: (await childrenOf(client, 'edited')).get('edit-1')?.metadata.name ?? '',
    };
    const body = {
      metadata: { annotations: { 'example.com/note': 'mine' } },
      spec: { replicas: 2, template: { spec: { containers: [{ name: 'web', image: 'nginx:by-hand' }] } } },
    };
    await client.patch(deployments, key, { type: 'strategic', body }, { fieldManager: 'kubectl-edit' });
    await eventually(async () => {
      const child = await client.get(deployments, key);
      const note = child.metadata.annotations?.['example.com/note'];
      expect([imageOf(child), child.spec?.replicas, note]).toEqual(['nginx:1.27', 0, 'mine']);
    });
  });
});

describe('a failure', () => {
  it('in one pool stops no other, and is seen in conditions and in an event', async () => {
    const name = 'no-deployments-in-refused';
    await client.create(validatingAdmissionPolicies, {
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] },
          ],
        },
        validations: [
          {
            expression: `object.metadata.?labels[?'${labels.poolName}'].orValue('') != 'refused'`,
            message: 'this site is being rebuilt',
          },
        ],
      },
    });
    await client.create(validatingAdmissionPolicyBindings, {
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    });
    // The API server learns of a policy by a watch.
    const probe = {
      metadata: { namespace: 'default', name: 'probe', labels: { [labels.poolName]: 'refused' } },
      spec: daemon({ name: 'probe', pools: {} }).spec.workloadTemplate.deploymentTemplate?.spec,
    };
    await eventually(async () => {
      await expect(client.create(deployments, probe as never, { dryRun: true })).rejects.toThrow(
        'being rebuilt',
      );
    });

    const pools = { failing: 'yes' };
    for (const each of ['fine-1', 'refused', 'zz-fine']) await apply(client, nodePools, pool(each, pools));
    await apply(client, yurtAppDaemons, daemon({ name: 'failing', pools, replicas: 0 }));
    await eventually(async () => {
      expect([...(await childrenOf(client, 'failing')).keys()].sort()).toEqual(['fine-1', 'zz-fine']);
      expect(await conditionsOf(client, yurtAppDaemons, 'failing', 'default')).toMatchObject({
        Ready: {
          status: 'False',
          reason: 'ChildRefused',
          message: expect.stringMatching(/^refused: .*being rebuilt/),
        },
        WorkLoadProvisioned: { status: 'False', reason: 'Error' },
        WorkLoadFailure: { status: 'True', reason: 'Error' },
      });
    });
    await eventually(async () => {
      const recorded = await eventsAbout(client, 'failing');
      expect(recorded.map(({ type, reason, note }) => [type, reason, note])).toContainEqual([
        'Warning',
        'ChildRefused',
        expect.stringContaining('this site is being rebuilt'),
      ]);
    });
    // It is tried again and again, and recorded once: not as another event, not as a repetition.
    const failed = 'reason="ChildCreated",result="failed"} ';
    await eventually(async () => {
      const lines = (await (await fetch(`${operator.url}/metrics`)).text()).split('\n');
      const tries = lines.find((line) => line.startsWith('atoll_steps_total{') && line.includes(failed));
      expect(Number(tries?.slice(tries.lastIndexOf(' ')) ?? 0)).toBeGreaterThan(2);
    });
    const refusals = (await eventsAbout(client, 'failing')).filter(({ reason }) => reason === 'ChildRefused');
    expect(refusals.map(({ series }) => series?.count ?? 1)).toEqual([1]);

    await client.delete(validatingAdmissionPolicyBindings, { name });
    await isReady('failing');
    expect(
      (await conditionsOf(client, yurtAppDaemons, 'failing', 'default'))['WorkLoadFailure']?.status,
    ).toBe('False');
  });

  it('of an image that cannot be pulled shows when the rollout is late', async () => {
    await rolledOut('pulling', ['site-2'], {
      replicas: 1,
      deployment: { progressDeadlineSeconds: 2 },
    });
    await setImage(client, yurtAppDaemons, 'pulling', 'nginx:bad-pull');
    const changed = await client.get(yurtAppDaemons, { namespace: 'default', name: 'pulling' });
    // Some seconds later it reports what was found in the pods.
    await eventually(async () => {
      const late = {
        type: 'Ready',
        status: 'False',
        reason: 'ProgressDeadlineExceeded',
        message: expect.stringMatching(/^site-2: ReplicaSet .* timed out progressing/) as string,
      };
      expect(conditionsSeen(changed)).toContainEqual(
        expect.arrayContaining([
          expect.objectContaining(late),
          expect.objectContaining({ type: 'WorkLoadFailure', status: 'True' }),
        ]),
      );
    });
    await setImage(client, yurtAppDaemons, 'pulling', 'nginx:1.27');
    await isReady('pulling');
  });

  it('of a template with a typo shows with the path of the field, and changes no child', async () => {
    await rolledOut('typo', ['typo-1']);
    await apply(
      client,
      yurtAppDaemons,
      daemon({
        name: 'typo',
        pools: { typo: 'yes' },
        image: 'nginx:1.28',
        replicas: 0,
        container: { imagePulPolicy: 'Always' },
      }),
    );
    await eventually(async () => {
      const { Ready, WorkLoadUpdated } = await conditionsOf(client, yurtAppDaemons, 'typo', 'default');
      expect(Ready?.message).toContain(
        'spec.workloadTemplate.deploymentTemplate.spec.template.spec.containers[name="web"].imagePulPolicy',
      );
      expect([Ready?.status, WorkLoadUpdated?.status]).toEqual(['False', 'False']);
    });
    await eventually(async () => {
      const notes = (await eventsAbout(client, 'typo')).map(({ note }) => note);
      expect(notes).toContainEqual(
        expect.stringContaining(
          'spec.workloadTemplate.deploymentTemplate.spec.template.spec.containers[name="web"].imagePulPolicy',
        ),
      );
    });
    expect(imageOf((await childrenOf(client, 'typo')).get('typo-1'))).toBe('nginx:1.27');
    await apply(
      client,
      yurtAppDaemons,
      daemon({ name: 'typo', pools: { typo: 'yes' }, image: 'nginx:1.28', replicas: 0 }),
    );
    await isReady('typo');
  });
});

describe('the operator', () => {
  it('serves its metrics under the names of controller-runtime', async () => {
    const text = await (await fetch(`${operator.url}/metrics`)).text();
    for (const name of [
      'controller_runtime_reconcile_total{controller="yurt-app-daemon",result="success"}',
      'controller_runtime_reconcile_time_seconds_bucket',
      'workqueue_depth{',
      'workqueue_adds_total{',
      'rest_client_requests_total{',
      'reflector_lists_total{name="deployments.apps"} 1',
      'reflector_watches_total{name="nodes"}',
      'atoll_steps_total{controller="yurt-app-daemon",step="create",reason="ChildCreated",result="done"}',
      'atoll_holds{',
      'atoll_objects{controller="yurt-app-daemon"} ',
      'atoll_object_desired{controller="yurt-app-daemon",namespace="default",name="nginx"} ',
      'atoll_object_available{controller="node-pool",namespace="",name="hangzhou"} 2',
    ]) {
      expect(text).toContain(name);
    }
    for (const path of ['healthz', 'readyz'])
      expect((await fetch(`${operator.url}/${path}`)).status).toBe(200);
  });

  it('writes nothing at all when everything is as it should be', async () => {
    const { recording } = world;
    const resources = ['deployments.apps', 'controllerrevisions.apps', 'yurtappdaemons.apps.openyurt.io'];
    const quiet = { user: operatorUser, except: restless, resources };
    // Longer than any status is held back, so that this is the end and no pause.
    const since = 1 + (await recording.waitForQuiescence({ ...quiet, quietMs: 12_000, deadlineMs: 150_000 }));
    expect(Date.now() - since).toBeGreaterThan(10_000);
    const history = await recording.history();
    expect(
      checkHistory(history, [
        // How often an event was repeated is written up to half a minute later: the end of a tale, no heartbeat.
        silentSince({ user: operatorUser, since, resources, except: restless }),
        deletesCarryUid({ user: operatorUser }),
      ]),
    ).toEqual([]);
    // A conflict says that somebody else wrote the same object at that very moment. One of a creation would be waste.
    const conflict =
      /(\/status|patch nodes|(patch|delete) (deployments|statefulsets)\.apps) \S+ → 409 Conflict$/;
    const wasted = noWastedWrites({ user: operatorUser, except: restless })(history);
    expect(wasted.filter(({ message }) => !conflict.test(message))).toEqual([]);
    const creations = writesOf(history).filter(
      (write) =>
        concernsWrite({ user: operatorUser }, write) && write.audit.preconditions.resourceVersion === '1',
    );
    expect(creations.length).toBeGreaterThan(0);
    expect(creations.filter(({ audit }) => audit.code === 409)).toEqual([]);
  });
});
