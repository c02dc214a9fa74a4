import { labels, unitedDaemonSets } from '@atoll/api';
import type { StreamingClient } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { agentDaemonSubject, agentNodeLabel } from './daemons.ts';
import { poolWorkloads } from './pool-workloads.ts';
import type { Subject } from './subject.ts';
import { unitedDeploymentSubject } from './united-deployments.ts';

const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
const template = (image: string) => ({ spec: { containers: [{ image }] } });
const fleet = { pools: ['east', 'west'], zones: ['zone-a'] };

/** Lists, by kind, what is in the API server; every change is carried out there, and its answer is lost. */
function clientOf(lists: Readonly<Record<string, readonly object[]>>): StreamingClient {
  return {
    list: async ({ kind }: { readonly kind: string }) => Promise.resolve({ items: lists[kind] ?? [] }),
    patch: async () => Promise.reject(new Error('connection lost')),
  } as unknown as StreamingClient;
}

function deployment(image: string, ownLabels: Readonly<Record<string, string>> = {}, app = 'ud-1'): object {
  const spec = { replicas: 2, selector: { matchLabels: { app } }, template: template(image) };
  return { metadata: { name: image, labels: ownLabels }, spec };
}

async function afterLostChange(subject: Subject, lists: Parameters<typeof clientOf>[0]) {
  const client = clientOf(lists);
  for (const number of [0.9, 0.1]) await subject.change(client, () => number).catch(() => undefined);
  return subject.unsettled(client);
}

describe('a change whose answer was lost is wanted where it came', () => {
  const wanted = (image: string): object => ({
    metadata: { name: 'ud-1' },
    spec: { replicas: 2, template: { deploymentTemplate: { spec: { template: template(image) } } } },
    status: ready,
  });

  it('of a UnitedDeployment', async () => {
    const of = async (image: string) =>
      afterLostChange(unitedDeploymentSubject(1, fleet), {
        UnitedDeployment: [wanted('web:1')],
        Deployment: [deployment(image)],
      });
    expect(await of('web:1')).toEqual([]);
    expect(await of('web:0')).toEqual(['ud-1: 1 children without web:1']);
  });

  it('of a UnitedDeployment whose children are StatefulSets', async () => {
    const name = 'ud-2';
    const of = async (lists: Readonly<Record<string, readonly object[]>>) =>
      afterLostChange(unitedDeploymentSubject(2, fleet), {
        ...lists,
        UnitedDeployment: [
          { metadata: { name: 'ud-1' }, spec: { replicas: 0, template: {} }, status: ready },
          {
            metadata: { name },
            spec: {
              replicas: 2,
              template: { statefulSetTemplate: { spec: { template: template('web:1') } } },
            },
            status: ready,
          },
        ],
      });
    expect(await of({ StatefulSet: [deployment('web:1', {}, name)] })).toEqual([]);
    expect(await of({ StatefulSet: [deployment('web:0', {}, name)] })).toEqual([
      `${name}: 1 children without web:1`,
    ]);
    expect(await of({ Deployment: [deployment('web:1', {}, name)] })).toEqual([
      `${name}: 1 children are no StatefulSets`,
    ]);
  });

  it('of a UnitedDaemonSet and the pools that it selects', async () => {
    const workloadTemplate = { deploymentTemplate: { spec: { template: template('web:1') } } };
    const name = 'uniteddaemonset-1';
    const child = (pool: string) => deployment('web:1', { [labels.workload]: name, [labels.poolName]: pool });
    const of = async (...pools: readonly string[]) =>
      afterLostChange(poolWorkloads(unitedDaemonSets, 1, fleet), {
        UnitedDaemonSet: [{ metadata: { name }, spec: { workloadTemplate }, status: ready }],
        NodePool: [{ metadata: { name: 'west' } }],
        Deployment: pools.map(child),
      });
    expect(await of('west')).toEqual([]);
    expect(await of('east', 'west')).toEqual([`${name}: children for 2 pools, wanted are 1`]);
  });

  it('of a DaemonSet', async () => {
    const of = async (image: string) =>
      afterLostChange(agentDaemonSubject(1), {
        DaemonSet: [
          {
            metadata: { name: 'ota-1' },
            spec: { template: template('agent:1') },
            status: { conditions: [{ type: 'atoll.dev/UpToDate', status: 'True' }] },
          },
        ],
        Node: [{ metadata: { name: 'node-1', labels: { [agentNodeLabel]: 'yes' } } }],
        Pod: [
          {
            metadata: { labels: { app: 'ota-1' } },
            spec: { nodeName: 'node-1', ...template(image).spec },
            status: ready,
          },
        ],
      });
    expect(await of('agent:1')).toEqual([]);
    expect(await of('agent:0')).toEqual(['ota-1: 1 of 1 nodes without agent:1, first node-1']);
  });
});

it('every second object has StatefulSets for children', async () => {
  const created: string[] = [];
  const paths: string[] = [];
  const client = {
    create: async (
      _: unknown,
      { spec }: { readonly spec: { readonly workloadTemplate?: object; readonly template?: object } },
    ) => {
      created.push(...Object.keys(spec.workloadTemplate ?? spec.template ?? {}));
      return Promise.resolve();
    },
    patch: async (
      _: unknown,
      __: unknown,
      { body }: { readonly body: readonly { readonly path: string }[] },
    ) => {
      paths.push(...body.map(({ path }) => path));
      return Promise.resolve();
    },
  } as unknown as StreamingClient;
  for (const subject of [
    unitedDeploymentSubject(2, fleet),
    poolWorkloads(unitedDaemonSets, 2, { ...fleet, pools: [] }),
  ]) {
    await subject.create(client);
    // The last one, and its image.
    await subject.change(client, () => 0.9);
  }
  expect(created).toEqual([
    'deploymentTemplate',
    'statefulSetTemplate',
    'deploymentTemplate',
    'statefulSetTemplate',
  ]);
  expect(paths).toEqual([
    '/spec/template/statefulSetTemplate/spec/template/spec/containers/0/image',
    '/spec/workloadTemplate/statefulSetTemplate/spec/template/spec/containers/0/image',
  ]);
});

it('an object that is gone is not as wanted', async () => {
  const subjects = [
    unitedDeploymentSubject(1, fleet),
    poolWorkloads(unitedDaemonSets, 1, fleet),
    agentDaemonSubject(1),
  ];
  const open = await Promise.all(subjects.map(async (subject) => subject.unsettled(clientOf({}))));
  for (const lines of open) expect(lines[0]).toMatch(/^\S+-1 is gone$/);
});
