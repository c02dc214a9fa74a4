// Kubernetes is upgraded under the running operator, from the oldest minor that is supported to the newest.
import { mkdtempDisposableSync, renameSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import { controllerOf, daemonSets, pods, serverVersion, type StreamingClient } from '@atoll/kube';
import { kubernetesMinors, obtainBinaries } from '@atoll/testbed';
import { expect, it } from 'vitest';
import { apply } from '../set-up/objects.ts';
import { conditionsOf, eventually } from '../set-up/standing.ts';
import { standingObjects } from './standing-objects.ts';
import { startSources } from './upgrade-world.ts';

/** In the order in which they are upgraded. */
const programs = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
const [oldest, newest] = [kubernetesMinors.at(-1), kubernetesMinors[0]];

it(
  `an upgrade of Kubernetes from ${oldest} to ${newest} restarts no pod, and Atoll goes on`,
  { timeout: 2_400_000 },
  async () => {
    const before = await obtainBinaries({ environment: { ...process.env, ATOLL_KUBERNETES: oldest } });
    const after = await obtainBinaries({ environment: { ...process.env, ATOLL_KUBERNETES: newest } });
    using folder = mkdtempDisposableSync(join(tmpdir(), 'atoll-kubernetes-'));
    const inUse = (program: string): string => join(folder.path, program);
    const use = (program: (typeof programs)[number], binaries: typeof before): void => {
      symlinkSync(binaries[program], inUse(`${program}.next`));
      renameSync(inUse(`${program}.next`), inUse(program));
    };
    for (const program of programs) use(program, before);
    const links = Object.fromEntries(programs.map((program) => [program, inUse(program)]));
    await using world = await startSources({
      binaries: { ...before, ...links },
      // What the testbed sets for one of them, the other may not know.
      apiServerFlags: { 'feature-gates': '' },
    });
    const { controlPlane, client } = world;
    expect((await serverVersion(client)).gitVersion).toContain(oldest);
    await applyStatefulSets(client);
    await makeAnew(client, 'ds-1');
    await world.settled();
    const standing = await standingObjects(client);
    const since = Date.now();
    for (const program of programs) {
      use(program, after);
      await controlPlane.component(program).restart();
    }
    // The newer controllers have looked at all that is there.
    await eventually(async () => {
      const names = Object.keys(await standingObjects(client));
      expect(names.filter((name) => name.startsWith('controllerrevisions ds-1-')).length).toBe(2);
    });
    await world.settled();
    expect((await serverVersion(client)).gitVersion).toContain(newest);
    expect(uidsOf(await standingObjects(client))).toMatchObject(uidsOf(standing));
    // The newer DaemonSet controller records each template anew, and pods of OTA name the newest revision.
    const writes = await world.writesSince(since);
    expect(writes.filter((line) => !line.startsWith('patch pods/status gateway-'))).toEqual([]);
    // An operator that starts there finds nothing to do either, and ends what is cut off in mid rollout.
    const again = Date.now();
    await world.upgrade();
    await world.settled();
    expect(await world.writesSince(again)).toEqual([]);
    await world.beginRollouts();
    await world.upgrade();
    await world.settled();
  },
);

const stateful = { app: 'stateful' };

async function applyStatefulSets(client: StreamingClient): Promise<void> {
  const template = {
    metadata: { labels: stateful },
    spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
  };
  const workload: PoolWorkload = {
    metadata: { namespace: 'default', name: 'stateful' },
    spec: {
      selector: { matchLabels: stateful },
      nodepoolSelector: {},
      workloadTemplate: {
        statefulSetTemplate: {
          metadata: { labels: stateful },
          spec: { replicas: 2, serviceName: 'stateful', selector: { matchLabels: stateful }, template },
        },
      },
    },
  };
  await apply(client, yurtAppDaemons, workload);
  await eventually(async () => {
    const conditions = await conditionsOf(client, yurtAppDaemons, 'stateful', 'default');
    expect(conditions).toMatchObject({ Ready: { status: 'True' } });
  });
}

/** As GitOps that replaces it: the pods stay, and the new one adopts them. */
async function makeAnew(client: StreamingClient, name: string): Promise<void> {
  const key = { namespace: 'chaos', name };
  const { metadata, spec } = await client.get(daemonSets, key);
  await client.delete(daemonSets, key, { propagationPolicy: 'Orphan' });
  await eventually(async () => expect(client.get(daemonSets, key)).rejects.toThrow('not found'));
  const { annotations = {} } = metadata;
  const anew = { metadata: { ...key, annotations }, ...(spec === undefined ? {} : { spec }) };
  const { metadata: made } = await client.create(daemonSets, anew);
  await eventually(async () => {
    const { items } = await client.list(pods, { namespace: 'chaos', labelSelector: `app=${name}` });
    expect(items.length).toBeGreaterThan(0);
    expect(items.filter((pod) => controllerOf(pod)?.uid !== made.uid)).toEqual([]);
  });
}

function uidsOf(standing: Readonly<Record<string, string>>): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(standing).map(([name, text]) => [name, text.split(' at ')[0]]));
}
