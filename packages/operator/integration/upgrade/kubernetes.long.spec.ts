// Kubernetes is upgraded under the running operator, from the oldest minor that is supported to the newest, and as long as that takes, both serve.
import { mkdtempDisposableSync, renameSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import { controllerOf, daemonSets, pods, serverVersion, type StreamingClient } from '@atoll/kube';
import { kubernetesMinors, obtainBinaries } from '@atoll/testbed';
import { expect, it } from 'vitest';
import { apply } from '../set-up/objects.ts';
import { conditionsOf, eventually } from '../set-up/standing.ts';
import { standingObjects } from './standing-objects.ts';
import { isOfChanged, startSources, type UpgradeWorld } from './upgrade-world.ts';

/** In the order in which they are upgraded. */
const programs = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
const [oldest, newest] = [kubernetesMinors.at(-1), kubernetesMinors[0]];
const patience = { timeout: 2_400_000 };

interface Exchanged extends AsyncDisposable {
  readonly world: UpgradeWorld;
  /** Restarts a program with the oldest or the newest version. */
  restart(program: (typeof programs)[number], version: 'oldest' | 'newest'): Promise<void>;
}

/** These sources on a control plane of the oldest version, whose programs may be exchanged. */
async function startOldest(): Promise<Exchanged> {
  const versions = {
    oldest: await obtainBinaries({ environment: { ...process.env, ATOLL_KUBERNETES: oldest } }),
    newest: await obtainBinaries({ environment: { ...process.env, ATOLL_KUBERNETES: newest } }),
  };
  await using started = new AsyncDisposableStack();
  const folder = started.use(mkdtempDisposableSync(join(tmpdir(), 'atoll-kubernetes-')));
  const inUse = (program: string): string => join(folder.path, program);
  const use = (program: (typeof programs)[number], version: keyof typeof versions): void => {
    symlinkSync(versions[version][program], inUse(`${program}.next`));
    renameSync(inUse(`${program}.next`), inUse(program));
  };
  for (const program of programs) use(program, 'oldest');
  const links = Object.fromEntries(programs.map((program) => [program, inUse(program)]));
  const world = started.use(
    await startSources({
      binaries: { ...versions.oldest, ...links },
      // What the testbed sets for one of them, the other may not know.
      apiServerFlags: { 'feature-gates': '' },
    }),
  );
  const kept = started.move();
  return {
    world,
    async restart(program, version) {
      use(program, version);
      await world.controlPlane.component(program).restart();
    },
    [Symbol.asyncDispose]: async () => kept.disposeAsync(),
  };
}

it(
  `an upgrade of Kubernetes from ${oldest} to ${newest} restarts no pod, and Atoll goes on`,
  patience,
  async () => {
    await using exchanged = await startOldest();
    const { world } = exchanged;
    const { client } = world;
    expect((await serverVersion(client)).gitVersion).toContain(oldest);
    await applyStatefulSets(client);
    await makeAnew(client, 'ds-1');
    await world.settled();
    const standing = await standingObjects(client);
    const since = Date.now();
    for (const program of programs) await exchanged.restart(program, 'newest');
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

it(
  `API servers of ${oldest} and ${newest} that take turns restart no pod, and rollouts end`,
  patience,
  async () => {
    await using exchanged = await startOldest();
    const { world } = exchanged;
    const { client } = world;
    const standing = await standingObjects(client);
    const since = Date.now();
    for (const version of ['newest', 'oldest', 'newest', 'oldest'] as const) {
      await exchanged.restart('kube-apiserver', version);
      await delay(turnMs);
    }
    await world.settled();
    expect(uidsOf(await standingObjects(client))).toEqual(uidsOf(standing));
    expect(await world.writesSince(since)).toEqual([]);
    const again = Date.now();
    await world.beginRollouts();
    await exchanged.restart('kube-apiserver', 'newest');
    await world.upgrade();
    for (const version of ['oldest', 'newest', 'oldest', 'newest'] as const) {
      await delay(turnMs);
      await exchanged.restart('kube-apiserver', version);
    }
    await world.settled();
    const unchanged = Object.entries(uidsOf(standing)).filter(([name]) => !isOfChanged(name));
    expect(unchanged).not.toEqual([]);
    expect(uidsOf(await standingObjects(client))).toMatchObject(Object.fromEntries(unchanged));
    expect((await world.writesSince(again)).filter((line) => !isOfChanged(line))).toEqual([]);
  },
);

/** So long each of them serves: caches are filled, and rollouts go on. */
const turnMs = 6_000;

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
