// What the chart renders for programs of others is what their own definitions take.
import {
  createClient,
  loadKubeconfig,
  namespaces,
  type CustomResourceDefinition,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { originalDefinition, originals, startControlPlane, type ControlPlane } from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { obtainHelm, release, type Helm } from './helm.ts';
import { installDefinitions } from './install-definitions.ts';

const { certManager, prometheusOperator } = originals;

const kinds = [
  {
    project: prometheusOperator,
    group: 'monitoring.coreos.com',
    kind: 'ServiceMonitor',
    plural: 'servicemonitors',
  },
  {
    project: prometheusOperator,
    group: 'monitoring.coreos.com',
    kind: 'PrometheusRule',
    plural: 'prometheusrules',
  },
  { project: certManager, group: 'cert-manager.io', kind: 'Certificate', plural: 'certificates' },
  { project: certManager, group: 'cert-manager.io', kind: 'Issuer', plural: 'issuers' },
] as const;

let helm: Helm;
let controlPlane: ControlPlane;
let client: StreamingClient;

beforeAll(async () => {
  controlPlane = await startControlPlane({ components: [] });
  client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), { userAgent: 'spec' });
  const definitions: CustomResourceDefinition[] = [];
  for (const { project, group, plural } of kinds)
    definitions.push(await originalDefinition(project, `${plural}.${group}`));
  await installDefinitions(client, definitions);
  await client.create(namespaces, { metadata: { name: release.namespace } });
  helm = await obtainHelm();
}, 900_000);

afterAll(async () => {
  helm?.[Symbol.dispose]();
  await client?.close();
  await controlPlane?.stop();
});

/** Kinds of others that the chart renders with these values, each taken by the API server, which refuses fields that no definition has. */
async function taken(values: readonly string[]): Promise<readonly string[]> {
  const rendered = await helm.render(...values);
  const names: string[] = [];
  for (const object of rendered) {
    const found = kinds.find(({ kind }) => kind === object.kind);
    if (found === undefined) continue;
    const resource: Resource<KubeObject> = { ...found, version: versionOf(object), namespaced: true };
    await client.create(resource, object, { dryRun: true });
    names.push(`${object.kind} ${object.metadata.name}`);
  }
  return names;
}

function versionOf({ apiVersion = '' }: KubeObject): string {
  return apiVersion.split('/').at(-1) ?? '';
}

const scraped = ['--set', 'metrics.serviceMonitor.enabled=true,metrics.prometheusRule.enabled=true'];

it.each([
  { title: 'as they are by default', values: [] },
  {
    title: 'for everybody, in plain text',
    values: ['--set', 'metrics.requireToken=false,metrics.tls.enabled=false'],
  },
  {
    title: "with the user's own token, labels, interval and TLS",
    values: [
      '--set',
      'metrics.serviceMonitor.tokenSecret=mine,metrics.serviceMonitor.interval=1m,metrics.serviceMonitor.labels.release=a',
      '--set-json',
      'metrics.serviceMonitor.tlsConfig={"serverName":"metrics.example","insecureSkipVerify":false}',
    ],
  },
  {
    title: 'with addresses of runbooks',
    values: ['--set', 'metrics.prometheusRule.runbookUrl=https://git.example.com/alerts.md'],
  },
])('metrics and alerts are what the Prometheus operator takes: $title', async ({ values }) => {
  expect(await taken([...scraped, ...values])).toEqual(['PrometheusRule atoll', 'ServiceMonitor atoll']);
});

it.each([
  { title: 'of an Issuer of the chart', issuer: [] },
  {
    title: 'of an issuer of the cluster',
    issuer: ['webhook', 'metrics.tls'].flatMap((part) => [
      '--set-json',
      `${part}.certManager.issuerRef={"kind":"ClusterIssuer","name":"own"}`,
    ]),
  },
])('certificates are what cert-manager takes: $title', async ({ issuer }) => {
  const values = [
    '--set',
    'webhook.certManager.enabled=true,metrics.tls.certManager.enabled=true',
    ...issuer,
  ];
  const certificates = ['Certificate atoll-metrics', 'Certificate atoll-webhook'];
  const expected = issuer.length === 0 ? [...certificates, 'Issuer atoll-selfsigned'] : certificates;
  expect((await taken(values)).toSorted()).toEqual(expected);
});

it('a field that the definitions do not have would be refused', async () => {
  const [rendered] = (await helm.render(...scraped)).filter(({ kind }) => kind === 'ServiceMonitor');
  const { project: _, ...found } = kinds[0];
  const wrong = {
    ...rendered,
    spec: { endpoints: [{ port: 'metrics', tls: {} }], selector: {} },
  } as KubeObject;
  const written = client.create({ ...found, version: 'v1', namespaced: true }, wrong, { dryRun: true });
  await expect(written).rejects.toThrow('unknown field "spec.endpoints[0].tls"');
});
