// What Helm does with objects and values that are not its own alone, as the guides have it: those that kubectl wrote, and those of older charts.
import {
  createClient,
  customResourceDefinitions,
  deployments,
  loadKubeconfig,
  type StreamingClient,
} from '@atoll/kube';
import { startControlPlane, type ControlPlane } from '@atoll/testbed';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDocumented } from '../../packages/operator/integration/set-up/documented-commands.ts';
import { root } from '../checks.ts';
import { chart, obtainHelm, release, withNewerDefinitions, type Helm } from './helm.ts';

let helm: Helm;
let controlPlane: ControlPlane;
let client: StreamingClient;
let folder: string;
const inRelease = `--namespace=${release.namespace}`;
const repository = 'registry.example/atoll-operator';
const keepValues = '--reset-then-reuse-values';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'atoll-release-fields-'));
  controlPlane = await startControlPlane({ components: [] });
  client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), { userAgent: 'spec' });
  helm = await obtainHelm(controlPlane.kubeconfig);
}, 900_000);

afterAll(async () => {
  helm?.[Symbol.dispose]();
  await client?.close();
  await controlPlane?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const kubectl = async (command: string): Promise<void> => runDocumented(command, controlPlane.kubeconfig);
const upgrade = async (from: string, ...args: readonly string[]): Promise<string> =>
  helm.run('upgrade', release.name, from, inRelease, ...args);

interface Operator {
  readonly replicas: number | undefined;
  readonly image: string | undefined;
  readonly namespaces: string | undefined;
}

async function operator(): Promise<Operator> {
  const { spec } = await client.get(deployments, { namespace: release.namespace, name: 'atoll' });
  const container = spec?.template.spec?.containers[0];
  const namespaces = container?.args?.find((arg) => arg.startsWith('--namespaces='));
  return { replicas: spec?.replicas, image: container?.image, namespaces };
}

/** The definitions that are in the cluster, by the version of each. */
async function definitions(): Promise<Readonly<Record<string, string | undefined>>> {
  const { items } = await client.list(customResourceDefinitions);
  return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}

interface OlderRelease {
  readonly version: string;
  readonly commit: string;
}

/** Those of which the chart can be taken out of the history: none in an archive or a shallow clone. */
function olderReleases(): readonly OlderRelease[] {
  const subject = '^release: [0-9]+\\.[0-9]+\\.[0-9]+$';
  const args = ['log', '--format=%h %s', '--extended-regexp', `--grep=${subject}`, 'HEAD^'];
  try {
    const lines = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' })
      .trim()
      .split('\n');
    return lines.flatMap((line) => {
      const [commit = '', , version = ''] = line.split(' ');
      // That of 0.1.0 had other names in the cluster.
      return version === '' || version === '0.1.0' ? [] : [{ version, commit }];
    });
  } catch {
    return [];
  }
}

function olderChart({ version, commit }: OlderRelease): string {
  const archive = join(folder, `${version}.tar`);
  const paths = ['deploy/helm', 'deploy/crds', 'deploy/observability'];
  execFileSync('git', ['archive', `--output=${archive}`, commit, ...paths], { cwd: root });
  const older = mkdtempSync(join(folder, version));
  execFileSync('tar', ['-x', '-C', older, '-f', archive]);
  return join(older, 'deploy/helm/atoll');
}

// Longer than Helm waits.
describe('a release', { timeout: 600_000 }, () => {
  it('of some namespaces is applied by kubectl, as Helm renders it', async () => {
    for (const name of ['edge', 'lab', release.namespace]) await kubectl(`kubectl create namespace ${name}`);
    const args = [inRelease, '--set', 'namespaces={edge,lab}', '--set', `image.repository=${repository}`];
    const file = join(folder, 'rendered.yaml');
    writeFileSync(file, await helm.run('template', release.name, chart, ...args));
    await kubectl(`kubectl apply --server-side --dry-run=server -f - < ${file}`);
    await helm.run('install', release.name, chart, ...args);
    expect(await operator()).toMatchObject({ replicas: 2, namespaces: '--namespaces=edge,lab' });
  });

  it('that was stopped in an emergency is started by an upgrade', async () => {
    const scale = (replicas: number): Promise<void> =>
      kubectl(`kubectl -n atoll-system scale deployment atoll --replicas=${replicas}`);
    await scale(0);
    await upgrade(chart, keepValues);
    expect(await operator()).toMatchObject({ replicas: 2 });
    await scale(0);
    await scale(2);
    await upgrade(chart, keepValues);
  });

  it('does not write over what somebody else wrote, unless it is forced to', async () => {
    await kubectl('kubectl -n atoll-system scale deployment atoll --replicas=3');
    await expect(upgrade(chart, keepValues)).rejects.toThrow('conflict with "kubectl"');
    await upgrade(chart, keepValues, '--force-conflicts');
    expect(await operator()).toMatchObject({ replicas: 2 });
    // What was forced once is Helm's own.
    await upgrade(chart, keepValues, '--set=replicas=1');
    await upgrade(chart, keepValues, '--set=replicas=2');
  });

  const olders = olderReleases();

  it.skipIf(olders.length === 0)(
    'goes back to older charts with the values that were set, with the newer definitions, and forward again',
    async () => {
      const before = await definitions();
      const values = { namespaces: '--namespaces=edge,lab', replicas: 2 };
      for (const older of olders) {
        const olderFolder = olderChart(older);
        // What this chart has and the older one does not is named, and is set to null.
        const newerOnly = ['--set-json=extraEnv=[{"name":"A","value":"b"}]', '--set=nodeSelector.disk=ssd'];
        await upgrade(chart, keepValues, ...newerOnly);
        const back = [keepValues, '--set=crds.install=false'];
        await upgrade(olderFolder, ...back, '--set=extraEnv=null');
        expect(await operator()).toEqual({ ...values, image: `${repository}:${older.version}` });
        await upgrade(chart, keepValues, '--set=crds.install=true');
      }
      expect(await definitions()).toEqual(before);
      expect(await operator()).toMatchObject(values);
    },
  );

  it('whose definitions kubectl applied under its own name needs one forced upgrade', async () => {
    await kubectl('kubectl apply --server-side --force-conflicts -f deploy/crds');
    const newer = withNewerDefinitions(folder, 'Newer');
    await expect(upgrade(newer, keepValues)).rejects.toThrow('conflict with "kubectl"');
    await upgrade(newer, keepValues, '--force-conflicts');
    await upgrade(withNewerDefinitions(folder, 'Newest'), keepValues);
  });

  it('takes what kubectl applied', async () => {
    await helm.run('uninstall', release.name, inRelease, '--wait', '--timeout=5m');
    await kubectl('kubectl apply --server-side --force-conflicts -f deploy/install.yaml');
    const args = ['--take-ownership', '--force-conflicts', `--set=image.repository=${repository}`];
    await helm.run('install', release.name, chart, inRelease, ...args);
    expect((await operator()).image).toMatch(`${repository}:`);
    await upgrade(withNewerDefinitions(folder, 'Last'), keepValues, '--force-conflicts');
  });
});
