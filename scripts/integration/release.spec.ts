// A release of the chart on a real API server: installed, upgraded, removed, and installed again.
import { nodePools, yurtAppDaemons } from '@atoll/api';
import {
  createClient,
  customResourceDefinitions,
  deployments,
  isApiError,
  loadKubeconfig,
  namespaces,
  pods,
  serviceAccounts,
  type ObjectKey,
  type StreamingClient,
} from '@atoll/kube';
import { runOperator, startControlPlane, type ControlPlane, type RunningOperator } from '@atoll/testbed';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import {
  oldNodePools,
  oldUnitedDeployments,
  oldYurtAppDaemons,
} from '../../packages/api/integration/old-crds.ts';
import {
  guideCommands,
  runDocumented,
} from '../../packages/operator/integration/set-up/documented-commands.ts';
import { programFile } from '../build/program-file.ts';
import { root } from '../checks.ts';
import { metricsOf, queries } from '../observability.ts';
import { chart, obtainHelm, release, withNewerDefinitions, type Helm } from './helm.ts';

let helm: Helm;
let controlPlane: ControlPlane;
let client: StreamingClient;
let operator: RunningOperator;

beforeAll(async () => {
  controlPlane = await startControlPlane({ fleet: { pools: ['bj'], nodesPerPool: 2 } });
  client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), { userAgent: 'spec' });
  helm = await obtainHelm(controlPlane.kubeconfig);
}, 900_000);

afterAll(async () => {
  helm?.[Symbol.dispose]();
  await client?.close();
  await controlPlane?.stop();
});

const inRelease = `--namespace=${release.namespace}`;

/** The operator of the release: its pods are simulated, so it runs beside the cluster under the account that Helm made. */
async function runReleased(): Promise<RunningOperator> {
  return runOperator(controlPlane, {
    script: programFile('atoll-operator'),
    account: { namespace: release.namespace, name: 'atoll' },
    args: [
      '--controllers=*,extended-daemon-set',
      '--webhook-bind-address=127.0.0.1:0',
      '--webhook-url=https://127.0.0.1:0',
    ],
  });
}

async function applySample(): Promise<void> {
  const text = readFileSync(join(root, 'examples/yurt-app-daemon.yaml'), 'utf8');
  await client.apply(
    nodePools,
    {
      apiVersion: 'apps.openyurt.io/v1beta2',
      kind: 'NodePool',
      metadata: { name: 'bj' },
      spec: { type: 'Edge' },
    } as never,
    { fieldManager: 'spec' },
  );
  for (const document of parseAllDocuments(text)) {
    const object = document.toJS() as {
      readonly kind: string;
      readonly metadata: object;
      readonly spec: object;
    };
    if (object.kind !== 'YurtAppDaemon') continue;
    const spec = { ...object.spec, nodepoolSelector: {} };
    const sample = { ...object, metadata: { ...object.metadata, namespace: 'default' }, spec };
    await client.apply(yurtAppDaemons, sample as never, { fieldManager: 'spec' });
  }
}

async function runningPods(): Promise<readonly string[]> {
  const { items } = await client.list(pods, { namespace: 'default' });
  return items.map(({ metadata }) => metadata.uid).toSorted();
}

async function exists(name: ObjectKey): Promise<boolean> {
  try {
    await client.get(serviceAccounts, name);
    return true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}

/** What rules and dashboard read. */
const metricsRead = queries().flatMap(({ query }) =>
  metricsOf(query).map((name) => name.replace(/_bucket$/, '')),
);

/** What an operator has only where it is limited to namespaces. */
const onlyOfLimited = ['atoll_namespace_served'];

async function metricsExportedBy({ url }: RunningOperator): Promise<ReadonlySet<string>> {
  const pages = await Promise.all(
    ['/metrics', '/ksmetrics'].map(async (path) => (await fetch(`${url}${path}`)).text()),
  );
  return new Set(pages.join('\n').match(/(?<=^# TYPE )\w+/gm));
}

// Longer than Helm waits.
describe('a release', { timeout: 600_000 }, () => {
  let before: readonly string[];

  it('installs what an operator needs, and its pods', async () => {
    await helm.run('install', release.name, chart, inRelease, '--create-namespace', '--wait', '--timeout=5m');
    operator = await runReleased();
    await applySample();
    await expect
      .poll(async () =>
        (await client.list(deployments, { namespace: 'default' })).items.map(
          ({ metadata, spec, status }) =>
            status?.observedGeneration === metadata.generation &&
            status?.availableReplicas === spec?.replicas,
        ),
      )
      .toEqual([true]);
    before = await runningPods();
    expect(before.length).toBeGreaterThan(0);
  });

  it('exports every metric that rules and dashboard read', async () => {
    await expect
      .poll(async () => {
        const exported = await metricsExportedBy(operator);
        return [...new Set(metricsRead.filter((name) => !exported.has(name)))];
      })
      .toEqual(onlyOfLimited);
  });

  it('is upgraded with other values, and no pod of a workload restarts', async () => {
    await helm.run('upgrade', release.name, chart, inRelease, '--set=replicas=1', '--wait', '--timeout=5m');
    const deployment = await client.get(deployments, { namespace: release.namespace, name: 'atoll' });
    expect(deployment.spec?.replicas).toBe(1);
    expect(await runningPods()).toEqual(before);
  });

  it('leaves definitions, objects and pods when it is removed', async () => {
    await operator.kill('SIGTERM');
    await helm.run('uninstall', release.name, inRelease, '--wait', '--timeout=5m');
    expect(await exists({ namespace: release.namespace, name: 'atoll' })).toBe(false);
    const { items: definitions } = await client.list(customResourceDefinitions);
    expect(definitions.map(({ metadata }) => metadata.name)).toContain('yurtappdaemons.apps.openyurt.io');
    for (const { metadata } of definitions) {
      await expect(client.delete(customResourceDefinitions, metadata)).rejects.toThrow('allow-deletion=true');
    }
    expect((await client.list(yurtAppDaemons, { namespace: 'default' })).items).toHaveLength(1);
    expect(await runningPods()).toEqual(before);
  });

  it('is not in the way of two that are limited to namespaces, which are not in the way of each other', async () => {
    for (const name of ['edge', 'lab', 'south']) await client.create(namespaces, { metadata: { name } });
    const install = async (namespace: string, values: string, ...more: readonly string[]): Promise<void> => {
      const args = [
        `--namespace=${namespace}`,
        '--create-namespace',
        `--set=${values}`,
        '--wait',
        '--timeout=5m',
      ];
      await helm.run('install', release.name, chart, ...args, ...more);
    };
    // The definitions stayed when the other release was removed, and are its own until another takes them.
    await install('team-a', 'namespaces={edge,lab}', '--take-ownership');
    const others = 'controllers=*\\,-node-pool,crds.install=false,policies.install=false';
    await install('team-b', `namespaces={south},${others}`);
    // Nor can one be installed that would be: the rights of the others name what they serve.
    const refused = [
      [`namespaces={north,lab},${others}`, 'The operator in team-a serves the namespace lab already'],
      [
        `namespaces={north},crds.install=false,policies.install=false`,
        'The operator in team-a looks after pools',
      ],
      [others, /The operator in team-[ab] serves the namespace (edge|lab|south) already/],
    ] as const;
    for (const [values, message] of refused) await expect(install('team-c', values)).rejects.toThrow(message);
    // A release that stays as it is overlaps with nobody, and events about pools in `default` are no service there.
    await helm.run(
      'upgrade',
      release.name,
      chart,
      '--namespace=team-a',
      '--reuse-values',
      '--dry-run=server',
    );
    await helm.run(
      'install',
      release.name,
      chart,
      '--namespace=team-c',
      `--set=namespaces={default},${others}`,
      '--dry-run=server',
    );
    const runs = await Promise.all(
      ['team-a', 'team-b'].map(async (namespace) => {
        const deployment = await client.get(deployments, { namespace, name: 'atoll' });
        const args = deployment.spec?.template.spec?.containers[0]?.args ?? [];
        const account = { namespace, name: 'atoll' };
        const script = programFile('atoll-operator');
        return runOperator(controlPlane, {
          name: namespace,
          script,
          account,
          args,
          env: { POD_NAMESPACE: namespace },
        });
      }),
    );
    for (const run of runs) {
      await expect.poll(async () => (await fetch(`${run.url}/readyz`)).ok, { timeout: 60_000 }).toBe(true);
      await expect
        .poll(async () => [...(await metricsExportedBy(run))])
        .toEqual(expect.arrayContaining(onlyOfLimited));
      await run.kill('SIGTERM');
    }
    for (const namespace of ['team-b', 'team-a'])
      await helm.run('uninstall', release.name, `--namespace=${namespace}`, '--wait', '--timeout=5m');
  });

  it('takes up the same objects when it is installed again', async () => {
    await helm.run('install', release.name, chart, inRelease, '--take-ownership', '--wait', '--timeout=5m');
    operator = await runReleased();
    await expect
      .poll(
        async () =>
          (await client.list(yurtAppDaemons, { namespace: 'default' })).items[0]?.status?.conditions,
      )
      .toEqual(expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True' })]));
    expect(await runningPods()).toEqual(before);
    const beside = [
      '--namespace=team-a',
      '--set=namespaces={edge},crds.install=false,policies.install=false',
    ];
    await expect(helm.run('install', release.name, chart, ...beside, '--dry-run=server')).rejects.toThrow(
      'The operator in atoll-system serves all namespaces already (ClusterRoleBinding atoll-controller-every-controller).',
    );
    await helm.run('install', release.name, chart, ...beside, '--set=checkOverlap=false', '--dry-run=server');
    // From all namespaces to some, as the guide does it.
    await helm.run('upgrade', release.name, chart, inRelease, '--set=namespaces={edge}', '--dry-run=server');
  });

  it('takes the place of the definitions of older operators, which kubectl and Helm installed', async () => {
    await operator.kill('SIGTERM');
    await helm.run('uninstall', release.name, inRelease, '--wait', '--timeout=5m');
    const mayGo = { metadata: { annotations: { 'atoll.dev/allow-deletion': 'true' } } };
    for (const { metadata } of (await client.list(customResourceDefinitions)).items) {
      await client.patch(customResourceDefinitions, metadata, { type: 'merge', body: mayGo });
      await client.delete(customResourceDefinitions, metadata);
    }
    await expect
      .poll(async () => (await client.list(customResourceDefinitions)).items, { timeout: 120_000 })
      .toEqual([]);
    for (const old of [oldNodePools, oldYurtAppDaemons]) {
      await client.create(customResourceDefinitions, old, { fieldManager: 'kubectl-client-side-apply' });
    }
    // As a manager sets it that installs its own conversion webhook.
    const webhook = { clientConfig: { service: { path: '/changed' } } };
    const body = { spec: { conversion: { webhook } } };
    await client.patch(customResourceDefinitions, oldNodePools.metadata, { type: 'merge', body });
    const ofKruise = { 'meta.helm.sh/release-name': 'kruise', 'meta.helm.sh/release-namespace': 'default' };
    const { metadata } = oldUnitedDeployments;
    await client.create(
      customResourceDefinitions,
      { ...oldUnitedDeployments, metadata: { ...metadata, annotations: ofKruise } },
      { fieldManager: 'helm' },
    );
    await expect(helm.run('install', release.name, chart, inRelease)).rejects.toThrow(
      'exists and cannot be imported',
    );
    const blocks = guideCommands('docs/operating/install.md', '## Over an older operator');
    const [replace = '', apply = '', ...install] = blocks.join('').split('\n');
    for (const command of [replace, apply]) await runDocumented(command.trim(), controlPlane.kubeconfig);
    const args = install
      .join(' ')
      .replaceAll('\\', '')
      .replace('deploy/helm/atoll', chart)
      .trim()
      .split(/ +/);
    expect(args[0]).toBe('helm');
    await helm.run(...args.slice(1));
    const { items } = await client.list(customResourceDefinitions);
    expect(items.length).toBeGreaterThan(3);
    for (const { metadata: found, spec } of items) {
      expect(found.annotations).toMatchObject({ 'meta.helm.sh/release-name': release.name });
      expect(spec.conversion).toEqual({ strategy: 'None' });
    }
    // They are Helm's alone, so that the next release can change them.
    const folder = mkdtempSync(join(tmpdir(), 'atoll-newer-'));
    const newer = withNewerDefinitions(folder, 'Newer');
    await helm.run('upgrade', release.name, newer, inRelease, '--reset-then-reuse-values');
    rmSync(folder, { recursive: true });
  });
});
