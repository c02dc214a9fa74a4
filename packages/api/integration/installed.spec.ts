import {
  customResourceDefinitions,
  namespaces,
  pods,
  validatingAdmissionPolicies,
  type Pod,
  type StreamingClient,
  type ValidatingAdmissionPolicy,
} from '@atoll/kube';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { operatorNames } from '../src/index.ts';
import {
  agentObjects,
  install,
  installObjects,
  kindsAlone,
  kruisePolicyObjects,
  operatorObjects,
} from '../src/install/index.ts';
import { operatorDeployment } from '../src/install/operator-deployment.ts';
import { webhookService } from '../src/install/webhook-service.ts';
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

describe('what is installed', () => {
  // As `kubectl apply --server-side -f deploy/…` after `npm start -- --kubeconfig`.
  it.each(
    installObjects(kindsAlone).map((each) => [each.object.kind, each.object.metadata.name, each] as const),
  )('%s %s is applied by somebody else too without a conflict', async (_, __, { resource, object }) => {
    const applied = client.apply(resource, object, { fieldManager: 'kubectl', dryRun: true });
    await expect(applied).resolves.toBeDefined();
  });

  it.each(
    [...kruisePolicyObjects(), ...agentObjects()]
      .filter(({ object }) => object.kind === 'ValidatingAdmissionPolicy')
      .map(({ object }) => [object.metadata.name, object] as const),
  )('the optional policy %s matches by rules to which the API server adds nothing', async (_, each) => {
    const policy = each as ValidatingAdmissionPolicy;
    const options = { fieldManager: 'kubectl', dryRun: true };
    const stored = await client.apply(validatingAdmissionPolicies, policy, options);
    expect(stored.spec?.matchConstraints).toEqual(policy.spec?.matchConstraints);
  });
});

describe('the operator in pods', () => {
  it('is taken by the API server as it is written, in namespaces that allow the least', async () => {
    // The namespace's own rule would only warn of the Deployment; the pod itself is what it judges.
    const restricted = { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } };
    const namespace = operatorNames.namespace;
    await client.patch(namespaces, { name: namespace }, { type: 'merge', body: restricted });
    const options = { fieldManager: 'api-specs', force: true, dryRun: true };
    for (const { resource, object } of operatorObjects()) await client.apply(resource, object, options);
    const { template } = operatorDeployment.spec ?? {};
    const pod = { metadata: { ...template?.metadata, namespace, name: 'atoll' }, spec: template?.spec };
    const created = await client.create(pods, pod as Pod, { dryRun: true });
    expect(created.spec?.serviceAccountName).toBe(operatorNames.serviceAccount);
  });

  it('is what the Service of the webhooks leads to', () => {
    const { template } = operatorDeployment.spec ?? {};
    const { selector, ports } = webhookService.spec ?? {};
    expect(template?.metadata?.labels).toMatchObject({ ...selector });
    const served = template?.spec?.containers.flatMap((each) => each.ports ?? []) ?? [];
    expect(served.map(({ containerPort }) => containerPort)).toContain(ports?.[0]?.targetPort);
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
