import { setTimeout as delay } from 'node:timers/promises';
import type { Pod } from '@atoll/kube';
import { longestTimerMs, visibleInLine } from '@atoll/kube/command-line';
import type { AgentApi } from './agent-api.ts';
import type { UpgradeOptions } from './upgrade-options.ts';

interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/** Milliseconds until a stream that broke is opened again. */
const pauseMs = 1_000;

/** The agent refuses this pod, or it is gone: its images are not there, or somebody else has upgraded it. Others may be upgraded all the same. */
const ofOnePod: ReadonlySet<number> = new Set([403, 404]);

/**
 * Upgrades pods one after the other; the first that fails ends it, as the next would fail likewise. Where all are to be upgraded, one that the agent refuses for a
 * cause of its own ends nothing. Yields the exit code.
 */
export async function runUpgrade(
  api: Pick<AgentApi, 'upgradablePods' | 'upgrade' | 'follow'>,
  { pods, all, namespace, timeoutMs }: Omit<UpgradeOptions, 'address'>,
  write: (line: string) => void,
): Promise<number> {
  // Others gave their names to pods, and any process of the node may answer for the agent.
  const print = (line: string): void => write(visibleInLine(line));
  if (pods.length === 0) {
    const found = (await api.upgradablePods()).filter(hasDaemonSet).map(({ metadata }) => ({
      namespace: metadata.namespace ?? '',
      name: metadata.name,
    }));
    if (found.length === 0) print('no pod of this node can be upgraded');
    if (all) return upgradeAll(api, found, timeoutMs, print);
    for (const pod of found) print(shown(pod));
    return 0;
  }
  const named = pods.map((text) => {
    const slash = text.indexOf('/');
    return slash === -1
      ? { namespace, name: text }
      : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
  });
  return upgradeEach(api, named, timeoutMs, print);
}

/** One that left its DaemonSet keeps its conditions, and the agent refuses it. */
function hasDaemonSet({ metadata }: Pod): boolean {
  return metadata.ownerReferences?.[0]?.kind === 'DaemonSet';
}

async function upgradeEach(
  api: Pick<AgentApi, 'upgrade' | 'follow'>,
  pods: readonly PodName[],
  timeoutMs: number,
  print: (line: string) => void,
): Promise<number> {
  for (const pod of pods) if ((await upgradeOne(api, pod, timeoutMs, print)) !== 'upgraded') return 1;
  return 0;
}

async function upgradeAll(
  api: Pick<AgentApi, 'upgrade' | 'follow'>,
  pods: readonly PodName[],
  timeoutMs: number,
  print: (line: string) => void,
): Promise<number> {
  let upgraded = 0;
  for (const pod of pods) {
    const end = await upgradeOne(api, pod, timeoutMs, print);
    if (end === 'upgraded') upgraded += 1;
    if (end === 'failed') break;
  }
  if (upgraded === pods.length) return 0;
  print(`${pods.length - upgraded} of ${pods.length} pods are not upgraded`);
  return 1;
}

/** `refused`: for a cause of this pod alone. */
async function upgradeOne(
  api: Pick<AgentApi, 'upgrade' | 'follow'>,
  pod: PodName,
  timeoutMs: number,
  print: (line: string) => void,
): Promise<'upgraded' | 'refused' | 'failed'> {
  const { code, body } = await api.upgrade(pod.namespace, pod.name);
  if (code !== 200) {
    print(`${shown(pod)}: not upgraded (${code}): ${body.trim()}`);
    return ofOnePod.has(code) ? 'refused' : 'failed';
  }
  if (timeoutMs > 0) return (await isReadyInTime(api, pod, timeoutMs, print)) ? 'upgraded' : 'failed';
  print(`${shown(pod)}: deleted`);
  return 'upgraded';
}

async function isReadyInTime(
  api: Pick<AgentApi, 'follow'>,
  pod: PodName,
  timeoutMs: number,
  print: (line: string) => void,
): Promise<boolean> {
  const signal = AbortSignal.timeout(Math.min(timeoutMs, longestTimerMs));
  let last = '';
  const printOnce = (line: string): void => {
    if (line !== last) print(line);
    last = line;
  };
  while (!signal.aborted) {
    try {
      for await (const { state, newPod } of api.follow(pod.namespace, pod.name, signal)) {
        const next = newPod === undefined ? 'the new pod' : `${pod.namespace}/${newPod.name}`;
        if (state === 'deleting') printOnce(`${shown(pod)}: is being deleted`);
        if (state === 'waiting') printOnce(`${shown(pod)}: deleted; waiting until ${next} is Ready`);
        if (state === 'none') {
          print(`${shown(pod)}: not upgraded: the deletion has not arrived; ask again`);
          return false;
        }
        if (state !== 'ready') continue;
        printOnce(`${shown(pod)}: upgraded; ${next} is Ready`);
        return true;
      }
    } catch (error) {
      if (!signal.aborted)
        printOnce(`${shown(pod)}: ${error instanceof Error ? error.message : String(error)}`);
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  print(
    `${shown(pod)}: the new pod is not Ready after ${Math.round(timeoutMs / 1000)} s; see kubectl describe pod`,
  );
  return false;
}

function shown({ namespace, name }: PodName): string {
  return `${namespace}/${name}`;
}
