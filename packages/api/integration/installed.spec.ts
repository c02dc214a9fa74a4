import { customResourceDefinitions, type StreamingClient } from '@atoll/kube';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { install } from '../src/install/index.ts';
import { customResourceDefinition, kinds } from '../src/schema/index.ts';
import { connect } from './connect.ts';

let client: StreamingClient;

beforeAll(async () => {
  client = await connect(inject('kubeconfig'));
  await install(client);
});

describe('the CustomResourceDefinitions', () => {
  it.each(kinds.map((kind) => [kind.resource.kind, kind] as const))(
    'serve %s as it is defined',
    async (_, kind) => {
      const name = customResourceDefinition(kind).metadata.name;
      const crd = await client.get(customResourceDefinitions, { name });
      expect(crd.status?.conditions?.find(({ type }) => type === 'Established')?.status).toBe('True');
      expect(crd.spec.versions).toMatchObject(
        JSON.parse(JSON.stringify(customResourceDefinition(kind).spec.versions)),
      );
    },
  );

  it('can be installed again and again', async () => {
    await install(client);
    const before = await client.get(customResourceDefinitions, { name: 'nodepools.apps.openyurt.io' });
    await install(client);
    const after = await client.get(customResourceDefinitions, { name: 'nodepools.apps.openyurt.io' });
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });
});

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
}

describe('kubectl get', () => {
  const pods = ['Name', 'DESIRED', 'CURRENT', 'UPDATED', 'READY', 'AGE'];
  const yurt = 'apps.openyurt.io';
  const wide = ['READY', 'REASON'];
  it.each<readonly [string, string, readonly string[], readonly string[]]>([
    ['nodepools', `${yurt}/v1alpha1`, ['Name', 'Type', 'ReadyNodes', 'NotReadyNodes', 'Age'], wide],
    ['nodepools', `${yurt}/v1beta1`, ['Name', 'Type', 'ReadyNodes', 'NotReadyNodes', 'Age'], wide],
    [
      'nodepools',
      `${yurt}/v1beta2`,
      ['Name', 'Type', 'ReadyNodes', 'NotReadyNodes', 'LeaderNodes', 'LeaderElectionAge', 'Age'],
      wide,
    ],
    ['uniteddaemonsets', `${yurt}/v1alpha1`, ['Name', 'WorkloadTemplate', 'AGE'], wide],
    ['yurtappdaemons', `${yurt}/v1alpha1`, ['Name', 'WorkloadTemplate', 'AGE', 'OverriderRef'], wide],
    // READY counts pods here.
    ['uniteddeployments', 'apps.kruise.io/v1alpha1', pods, ['COMPLETE', 'REASON']],
    ['uniteddeployments', 'apps.kruise.io/v1beta1', pods, ['COMPLETE', 'REASON']],
  ])(
    'shows %s of %s with the columns that scripts cut by position',
    async (plural, version, columns, more) => {
      const response = await client.raw({
        path: `/apis/${version}/${plural}`,
        accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
      });
      const table = JSON.parse(response.body.toString()) as Table;
      const names = (priority: number): readonly string[] =>
        table.columnDefinitions.filter((column) => column.priority === priority).map((column) => column.name);
      expect(names(0)).toEqual(columns);
      expect(names(1)).toEqual(more);
    },
  );
});
