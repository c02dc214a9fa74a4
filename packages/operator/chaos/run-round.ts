import { truncateSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  agentUser,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  unitedDaemonSets,
  unitedDeployments,
  yurtAppDaemons,
} from '@atoll/api';
import {
  controllerRevisions,
  deployments,
  nodes,
  pods,
  statefulSets,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { checkHistory, startRecording, writesOf, type Violation } from '@atoll/testbed';
import { shuffled } from '../integration/set-up/random.ts';
import { operatorUser } from '../integration/set-up/operator-control-plane.ts';
import { askedOf, stateOf } from './agents/node-agent.ts';
import type { ChaosOptions } from './chaos-options.ts';
import type { ChaosRound } from './chaos-report.ts';
import { checksOfRound } from './checks/checks-of-round.ts';
import { endedPrograms, restartedSince, restartsOf } from './checks/ended-programs.ts';
import { recordedUpgrades } from './checks/recorded-upgrades.ts';
import { agentFaults } from './faults/agent-disks.ts';
import { chaosFaults } from './faults/chaos-faults.ts';
import type { ChaosFault, ChaosWorld } from './faults/chaos-world.ts';
import { keepEvidence } from './keep-evidence.ts';
import { processSize } from './process-size.ts';
import { namespace, pick, type Subject } from './subjects/subject.ts';
import { untilSettled } from './until-settled.ts';

const recorded: readonly Resource<KubeObject>[] = [
  pods,
  nodes,
  deployments,
  statefulSets,
  controllerRevisions,
  extendedDaemonSetReplicaSets,
] as readonly Resource<KubeObject>[];

/** Faults and changes at the same time, then a wait until all is as wanted, then the checks of what was recorded. */
export async function runRound(
  number: number,
  options: ChaosOptions,
  world: ChaosWorld,
  subjects: readonly Subject[],
): Promise<ChaosRound> {
  const { controlPlane, client, random, agents, fullDisks } = world;
  const { kubeconfig, auditLog = '' } = controlPlane;
  // What was checked is forgotten, so that the four hundredth round reads no more than the first.
  truncateSync(auditLog, 0);
  await using recording = await startRecording({ kubeconfig, auditLog, resources: recorded });
  const end = Date.now() + options.roundMs;
  fullDisks.splice(0);
  const asked = askedOf(agents);
  const restarts = restartsOf(controlPlane.components);
  const chosen = chaosFaults
    .filter(({ name }) => options.faults.length === 0 || options.faults.includes(name))
    .filter((fault) => agents.length > 0 || !agentFaults.includes(fault));
  const [{ faults, failed, faultsAt }, changes] = await Promise.all([
    injectUntil(end, chosen, world),
    changeUntil(end, subjects, client, random),
  ]);
  await controlPlane.nodesReady(Math.max(60_000, options.settleMs));
  const since = Date.now();
  const unsettled = await untilSettled(client, subjects, options.settleMs, agents);
  const settledMs = Date.now() - since;
  const sizes = await Promise.all(
    [...world.replicas, ...agents].map(async ({ component }) => processSize(component)),
  );
  const ownerUids = await uidsOfOwners(client);
  const upgrades = askedOf(agents);
  const recordedUpgrade = recordedUpgrades({
    user: agentUser,
    recorded: agents.flatMap((agent) => stateOf(agent)?.upgrades ?? []),
    fullDisks,
    live: await uidsOfPods(client),
  });
  const history = await recording.history();
  // An API server that is started again begins with what is there now: what came just before can be missing.
  const [gap] = history.gaps;
  const violations = [
    ...failed,
    ...endedPrograms({ components: controlPlane.components, replicas: world.replicas, agents }),
    ...(gap === undefined
      ? checkHistory(history, [...checksOfRound(ownerUids, options.nodesOfDaemons), recordedUpgrade])
      : []),
  ];
  const isGood = violations.length === 0 && unsettled.length === 0;
  return {
    round: number,
    faults,
    changes,
    writes: writesOf(history).filter(({ audit }) => audit.user === operatorUser && audit.code < 300).length,
    upgrades: upgrades.begun - asked.begun,
    refusedUpgrades: upgrades.refused - asked.refused,
    settledMs,
    restarted: restartedSince(restarts, controlPlane.components),
    violations,
    evidence: isGood ? undefined : keepEvidence('atoll-chaos-', controlPlane, history, { faults: faultsAt }),
    unjudged:
      gap === undefined
        ? undefined
        : `events of ${gap.resource} after version ${gap.afterVersion} can be missing`,
    unsettled,
    processes: sizes.filter((size) => size !== undefined),
  };
}

/** When a fault began: ISO time and name. */
type FaultAt = readonly [at: string, fault: string];

interface Injected {
  readonly faults: Readonly<Record<string, number>>;
  readonly faultsAt: readonly FaultAt[];
  readonly failed: readonly Violation[];
}

/** One fault after the other, each once before any comes again, whatever the round. A fault that cannot be done is a fault of the run. */
async function injectUntil(end: number, faults: readonly ChaosFault[], world: ChaosWorld): Promise<Injected> {
  const counts: Record<string, number> = {};
  const faultsAt: FaultAt[] = [];
  const failed: Violation[] = [];
  const { faultsLeft } = world;
  while (Date.now() < end) {
    if (faultsLeft.length === 0) faultsLeft.push(...shuffled(faults, world.random));
    const fault = faultsLeft.shift();
    if (fault === undefined) break;
    counts[fault.name] = (counts[fault.name] ?? 0) + 1;
    faultsAt.push([new Date().toISOString(), fault.name]);
    await fault.run(world).catch((error: unknown) => {
      failed.push({ rule: `fault ${fault.name}`, message: String(error) });
    });
    await world.wait(world.random() * 3_000);
  }
  return { faults: counts, faultsAt, failed };
}

async function changeUntil(
  end: number,
  subjects: readonly Subject[],
  client: StreamingClient,
  random: () => number,
): Promise<number> {
  let changes = 0;
  while (Date.now() < end) {
    // The API server may be down: a person would try again.
    await pick(subjects, random)
      .change(client, random)
      .then(
        () => (changes += 1),
        () => undefined,
      );
    await delay(200 + random() * 1_000);
  }
  return changes;
}

async function uidsOfPods(client: StreamingClient): Promise<ReadonlySet<string>> {
  const { items } = await client.list(pods, { namespace });
  return new Set(
    items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.uid),
  );
}

async function uidsOfOwners(client: StreamingClient): Promise<ReadonlySet<string>> {
  const kinds = [
    unitedDaemonSets,
    yurtAppDaemons,
    unitedDeployments,
    extendedDaemonSets,
  ] as readonly Resource<KubeObject>[];
  const lists = await Promise.all(kinds.map(async (resource) => client.list(resource, { namespace })));
  return new Set(lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.uid)));
}
