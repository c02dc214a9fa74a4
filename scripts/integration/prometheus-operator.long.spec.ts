// The real Prometheus operator makes a configuration of what the chart installs, and Prometheus' own checks take it.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import {
  configMaps,
  createClient,
  loadKubeconfig,
  namespaces,
  secrets,
  services,
  type CustomResourceDefinition,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import {
  freePorts,
  obtainGoTool,
  originalFiles,
  originals,
  runOperator,
  startControlPlane,
  type Component,
  type ControlPlane,
} from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { programFile } from '../build/program-file.ts';
import { goTools } from '../go-tools.ts';
import { chart, obtainHelm, release, type Helm } from './helm.ts';
import { installDefinitions } from './install-definitions.ts';

interface ScrapeConfig {
  readonly job_name: string;
  readonly relabel_configs: readonly {
    readonly action?: string;
    readonly source_labels?: readonly string[];
    readonly regex?: string;
  }[];
}

const { prometheusOperator } = originals;
const monitoring = 'monitoring';
const prometheuses: Resource<KubeObject & { readonly spec: object }> = {
  group: 'monitoring.coreos.com',
  version: 'v1',
  kind: 'Prometheus',
  plural: 'prometheuses',
  namespaced: true,
};
const everything = {
  serviceMonitorSelector: {},
  serviceMonitorNamespaceSelector: {},
  ruleSelector: {},
  ruleNamespaceSelector: {},
};

let helm: Helm;
let promtool: string;
let controlPlane: ControlPlane;
let client: StreamingClient;
let operator: Component;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'atoll-prometheus-'));
  promtool = await obtainGoTool(goTools.promtool);
  const file = await obtainGoTool(goTools.prometheusOperator);
  controlPlane = await startControlPlane({ fleet: { nodes: 1 } });
  client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), { userAgent: 'spec' });
  const files = await originalFiles(prometheusOperator, prometheusOperator.folder, '.yaml');
  const definitions = [...files.values()].map((text) => parse(text) as CustomResourceDefinition);
  await installDefinitions(client, definitions);
  helm = await obtainHelm(controlPlane.kubeconfig);
  const [port = 0] = await freePorts(1);
  operator = await controlPlane.runProgram({
    name: 'prometheus-operator',
    file,
    args: ['--web.listen-address', `127.0.0.1:${port}`, '--kubelet-endpoints=false', '--log-level=debug'],
    env: { KUBECONFIG: controlPlane.kubeconfig },
  });
}, 1_800_000);

afterAll(async () => {
  helm?.[Symbol.dispose]();
  await client?.close();
  await controlPlane?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function check(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(promtool, args)).stdout;
}

async function configuration(): Promise<string> {
  const { data = {} } = await client.get(secrets, { namespace: monitoring, name: 'prometheus-main' });
  return gunzipSync(Buffer.from(data['prometheus.yaml.gz'] ?? '', 'base64')).toString();
}

async function scrapeConfigs(): Promise<readonly ScrapeConfig[]> {
  const { scrape_configs: all } = parse(await configuration()) as { scrape_configs: readonly ScrapeConfig[] };
  return all;
}

it('scrapes both pages of the operator over HTTPS, and loads its alerts', async () => {
  const values = 'metrics.serviceMonitor.enabled=true,metrics.prometheusRule.enabled=true';
  const inRelease = [`--namespace=${release.namespace}`, '--create-namespace', '--set', values];
  await helm.run('install', release.name, chart, ...inRelease);
  // Makes the certificate authority that the ServiceMonitor names.
  await runOperator(controlPlane, {
    script: programFile('atoll-operator'),
    account: { namespace: release.namespace, name: 'atoll' },
    args: ['--webhook-bind-address=127.0.0.1:0', '--webhook-url=https://127.0.0.1:0'],
  });
  await client.create(namespaces, { metadata: { name: monitoring } });
  await client.create(prometheuses, { metadata: { name: 'main', namespace: monitoring }, spec: everything });

  const scraped = (path: string) => ({
    metrics_path: path,
    scheme: 'https',
    honor_labels: true,
    scrape_interval: '30s',
    authorization: { type: 'Bearer' },
    tls_config: { server_name: `atoll-metrics.${release.namespace}.svc` },
    kubernetes_sd_configs: [{ namespaces: { names: [release.namespace] } }],
  });
  const inTheEnd = async (): Promise<readonly ScrapeConfig[]> =>
    scrapeConfigs().catch((error: unknown) => {
      throw new Error(operator.lastWords(), { cause: error });
    });
  await expect.poll(inTheEnd).toMatchObject([scraped('/metrics'), scraped('/ksmetrics')]);

  const service = await client.get(services, { namespace: release.namespace, name: 'atoll-metrics' });
  const labelled = Object.entries(service.metadata.labels ?? {}).map(([key, value]) => [
    `__meta_kubernetes_service_label_${key.replace(/[^A-Za-z0-9_]/g, '_')}`,
    value,
  ]);
  const seen = {
    ...(Object.fromEntries(labelled) as object),
    __meta_kubernetes_endpoint_port_name: 'metrics',
  };
  for (const { relabel_configs: rules } of await scrapeConfigs()) {
    const kept = rules.filter(
      ({ action, source_labels: [label = ''] = [] }) => action === 'keep' && label in seen,
    );
    expect(kept.length).toBeGreaterThan(2);
    for (const { source_labels: labels = [], regex = '' } of kept) {
      const text = labels.map((label) => (seen as Record<string, string>)[label] ?? 'true').join(';');
      expect(text).toMatch(new RegExp(`^(?:${regex})$`));
    }
  }

  const file = join(folder, 'prometheus.yaml');
  writeFileSync(file, await configuration());
  expect(await check('check', 'config', '--syntax-only', file)).toContain('SUCCESS');

  const loaded = await client.get(configMaps, { namespace: monitoring, name: 'prometheus-main-rulefiles-0' });
  const rules = Object.values(loaded.data ?? {});
  expect(rules).toHaveLength(1);
  const rulesFile = join(folder, 'rules.yaml');
  writeFileSync(rulesFile, rules[0] ?? '');
  expect(await check('check', 'rules', rulesFile)).toMatch(/SUCCESS: \d\d rules found/);
});
