// Explorations that take up to half a minute each. `npm test` has each of them with one thing less that can happen, or with caches
// that are not behind.
import { describe, expect, it } from 'vitest';
import { daemonSetWorld } from '../simulation/worlds/daemon-set-world.ts';
import { againWorld } from '../simulation/worlds/extended-daemon-set/extended-daemon-set-again-world.ts';
import { extendedDaemonSetWorld } from '../simulation/worlds/extended-daemon-set/extended-daemon-set-world.ts';
import { migrationWorld } from '../simulation/worlds/extended-daemon-set/extended-daemon-set-migration-world.ts';
import { heldPoolsWorld } from '../simulation/worlds/held-pools-world.ts';
import { nodePoolWorld } from '../simulation/worlds/node-pool-world.ts';
import { heldSubsetsWorld } from '../simulation/worlds/held-subsets-world.ts';
import { poolWorkloadWorld } from '../simulation/worlds/pool-workload-world.ts';
import { spreadWorld } from '../simulation/worlds/spread-world.ts';
import { unitedDeploymentWorld } from '../simulation/worlds/united-deployment/united-deployment-world.ts';
import { atRest } from '../simulation/story.ts';
import { web } from '../simulation/worlds/pool-workload-objects.ts';
import { yurtAppDaemonKind } from '../src/pool-workload/controller.ts';
import { noLateRequest } from '../simulation/world.ts';
import { safe, verdictOn } from './verdict-on.ts';

const quiet = { lag: 0, spurious: false } as const;
const scaled = { budgets: { edit: 1, scale: 1, unhold: 1 }, ...quiet } as const;
const released = { budgets: { edit: 1, unhold: 2 }, spurious: false } as const;

/** As an older operator left it. */
const left = { kind: yurtAppDaemonKind, pools: ['hz'] } as const;
/** One replica, whose first subset has no room for it. */
const unschedulable = {
  kind: 'CloneSet',
  patient: true,
  schedule: { type: 'Adaptive' },
  total: 1,
  rooms: [0, 2],
  ...quiet,
} as const;

function heldBack<Kind extends 'StatefulSet' | 'AdvancedStatefulSet'>(kind: Kind) {
  return { kind, strategy: { type: 'Manual', manualUpdate: { partitions: { a: 5 } } } } as const;
}

describe('every interleaving is safe, and ends as desired and silent', () => {
  it.each([
    spreadWorld({
      name: "a successor's watch of the parent has stood still through two versions and a pause",
      pools: ['a'],
      budgets: { edit: 2, pause: 1, 'fail-over': 1 },
      spurious: false,
    }),
    spreadWorld({
      name: "a successor's watch of the parent has stood still, with two pools",
      budgets: { edit: 1, 'fail-over': 1 },
    }),
    spreadWorld({
      name: 'two requests are under way at once while the version changes, and any one fails in any way but late',
      atOnce: 2,
      budgets: { edit: 1, fault: 1 },
      faults: noLateRequest,
      spurious: false,
    }),
    poolWorkloadWorld({
      name: 'two requests are under way at once, and any one fails in any way',
      atOnce: 2,
      budgets: { fault: 1 },
      ...quiet,
    }),
    daemonSetWorld({
      name: "two new templates of a DaemonSet, and a successor's list of pods is of before",
      budgets: { edit: 2, 'fail-over': 1 },
      images: ['v2', 'v3'],
      standStill: ['pods'],
      ...quiet,
    }),
    daemonSetWorld({
      name: 'an upgrade with a percentage of the nodes that count, while one is away and comes back',
      nodes: ['a', 'b', 'c'],
      awayAtFirst: ['c'],
      maxUnavailable: '50%',
      budgets: { edit: 1 },
      lag: 0,
      spurious: false,
    }),
    poolWorkloadWorld({
      name: 'the workload is labelled and scaled, while caches are behind one another',
      pools: ['hz'],
      budgets: { relabel: 1, scale: 1 },
      spurious: false,
    }),
    poolWorkloadWorld({
      name: 'the template changes, and a request is lost or late, while caches are behind one another',
      pools: ['hz'],
      budgets: { edit: 1, fault: 1 },
      faults: ['lost-after', 'crash-late'],
      spurious: false,
    }),
    poolWorkloadWorld({
      name: 'many keys wait while the template changes, and a request is lost or refused',
      pools: ['hz'],
      budgets: { edit: 1, fault: 1 },
      faults: ['lost-after', 'refused'],
      spurious: false,
      othersWait: true,
    }),
    unitedDeploymentWorld({
      name: 'any one request of two subsets fails in any way, or the operator dies',
      budgets: { fault: 1 },
      ...quiet,
    }),
    unitedDeploymentWorld({
      name: 'many keys wait while a UnitedDeployment is scaled, and a request is lost or refused',
      subsets: [{ name: 'a' }],
      total: 1,
      budgets: { scale: 1, fault: 1 },
      faults: ['lost-after', 'refused'],
      othersWait: true,
      ...quiet,
    }),
    unitedDeploymentWorld({
      name: 'replicas move, and a request fails in any way or the operator dies',
      kind: 'CloneSet',
      patient: true,
      spurious: false,
      schedule: { type: 'Adaptive' },
      total: 1,
      rooms: [0, 2],
      lag: 0,
      budgets: { time: 4, fault: 1 },
    }),
    extendedDaemonSetWorld({
      name: 'a setting goes, comes back and goes again while another one is gone',
      overridden: '1',
      takenBack: ['a'],
      tickMs: 6_000,
      budgets: { 'take back': 2, 'give back': 1, tick: 1 },
      promptKubelets: true,
      ...quiet,
    }),
    extendedDaemonSetWorld({
      name: 'an ExtendedDaemonSet gets a new template, and a request fails in any way or the operator dies',
      nodes: ['a'],
      budgets: { edit: 1, fault: 1 },
      faults: noLateRequest,
      ...quiet,
    }),
    extendedDaemonSetWorld({
      name: 'an ExtendedDaemonSet with two nodes gets a new template',
      budgets: { edit: 1 },
      ...quiet,
    }),
    extendedDaemonSetWorld({
      name: 'an ExtendedDaemonSet gets a new template while its node is removed',
      nodes: ['a'],
      budgets: { edit: 1, remove: 1 },
      ...quiet,
    }),
    extendedDaemonSetWorld({
      name: 'a canary crashes',
      nodes: ['a'],
      canary: 1,
      images: ['crashing'],
      budgets: { edit: 1 },
      ...quiet,
    }),
    extendedDaemonSetWorld({
      name: 'an ExtendedDaemonSet gets a new template, and a successor has not seen the replica sets',
      nodes: ['a'],
      standStill: ['extendeddaemonsetreplicasets.datadoghq.com'],
      budgets: { edit: 1, 'fail-over': 1 },
      ...quiet,
    }),
    extendedDaemonSetWorld({
      name: 'a canary crashes, and a successor has not seen its replica set',
      nodes: ['a'],
      canary: 1,
      images: ['crashing'],
      standStill: ['extendeddaemonsetreplicasets.datadoghq.com'],
      budgets: { edit: 1, 'fail-over': 1 },
      ...quiet,
    }),
    extendedDaemonSetWorld({
      name: "a canary is tried, and a successor's list of pods is of before",
      canary: 1,
      next: 'v2',
      standStill: ['pods'],
      budgets: { 'fail-over': 1 },
      ...quiet,
    }),
    extendedDaemonSetWorld({
      name: 'a setting comes, and a successor has not seen it',
      nodes: ['a'],
      standStill: ['extendeddaemonsetsettings.datadoghq.com'],
      budgets: { override: 1, 'fail-over': 1 },
      ...quiet,
    }),
    migrationWorld({
      name: 'pods of two nodes are taken over from a DaemonSet that makes none any more',
      inert: true,
      budgets: {},
      ...quiet,
    }),
    migrationWorld({
      name: 'pods of two nodes are taken over from a DaemonSet that is deleted',
      budgets: { 'hand over': 1 },
      ...quiet,
    }),
    againWorld({
      name: 'an ExtendedDaemonSet is deleted and made again, and the garbage collector takes its time',
      budgets: { delete: 1, 'make again': 1 },
      ...quiet,
    }),
    migrationWorld({
      name: 'a pod is taken over from a DaemonSet, and a request fails in any way or the operator dies',
      nodes: ['a'],
      budgets: { 'hand over': 1, fault: 1 },
      ...quiet,
    }),
    ...[
      ['v2', 'v3'],
      ['broken', 'v3'],
    ].map((images) =>
      extendedDaemonSetWorld({
        name: `an ExtendedDaemonSet gets ${images.join(' and then ')}`,
        nodes: ['a'],
        images,
        budgets: { edit: 2 },
        promptCollector: true,
        ...quiet,
      }),
    ),
    extendedDaemonSetWorld({
      name: 'an ExtendedDaemonSet gets a new template while a node goes away',
      nodes: ['a'],
      budgets: { edit: 1, away: 1 },
      ...quiet,
    }),
    extendedDaemonSetWorld({
      name: 'a canary is paused and goes on',
      canary: 1,
      budgets: { edit: 1, pause: 1, unpause: 1 },
      promptCollector: true,
      ...quiet,
    }),
    extendedDaemonSetWorld({
      name: 'a canary that is never Ready, and a template that follows',
      canary: 1,
      images: ['broken', 'v3'],
      budgets: { edit: 2 },
      promptCollector: true,
      ...quiet,
    }),
    extendedDaemonSetWorld({
      name: 'a canary that cannot start is let go on, and a template follows',
      nodes: ['a'],
      canary: 1,
      images: ['unpullable', 'broken'],
      budgets: { edit: 2, unpause: 1 },
      promptCollector: true,
      ...quiet,
    }),
    extendedDaemonSetWorld({
      name: 'a canary loses its node before it is promoted',
      canary: 1,
      budgets: { edit: 1, remove: 1 },
      ...quiet,
    }),
    extendedDaemonSetWorld({
      name: 'a canary that is never Ready loses its node',
      canary: 1,
      images: ['broken'],
      budgets: { edit: 1, remove: 1 },
      ...quiet,
    }),
    ...(['nodepool', 'desired-nodepool'] as const).flatMap((by) => [
      nodePoolWorld({ name: `a node moves, and moves on (${by})`, by, budgets: { move: 2 }, ...quiet }),
      nodePoolWorld({
        name: `a node moves while its pool is deleted, or the other (${by})`,
        by,
        budgets: { move: 1, drop: 1 },
        ...quiet,
      }),
      atRest(nodePoolWorld({ name: `a node comes back (${by})`, by, budgets: { move: 3 }, ...quiet })),
    ]),
    poolWorkloadWorld({
      name: 'two workloads of one name in two namespaces select one pool',
      owners: [web, { namespace: 'shop', name: 'web' }],
      pools: ['hz'],
      budgets: {},
      spurious: false,
    }),
    poolWorkloadWorld({
      name: 'two workloads in one namespace select one pool',
      owners: [web, { namespace: 'edge', name: 'shop' }],
      pools: ['hz'],
      budgets: {},
      spurious: false,
    }),
    poolWorkloadWorld({
      name: 'the child of one pool is refused for ever, and the template changes, while caches are behind',
      refused: 'bj',
      budgets: { edit: 1 },
      spurious: false,
    }),
    poolWorkloadWorld({
      name: 'the template changes while another writer changes the child, and caches are behind',
      pools: ['hz'],
      budgets: { edit: 1, drift: 1 },
    }),
    poolWorkloadWorld({
      name: 'a child of another template of an older operator, while a request fails in any way or the operator dies',
      ...left,
      old: 'put back',
      budgets: { fault: 1 },
      spurious: false,
    }),
    poolWorkloadWorld({
      name: 'a child of another template of an older operator, while the template changes',
      ...left,
      old: 'put back',
      budgets: { edit: 1 },
      spurious: false,
    }),
    daemonSetWorld({
      name: 'two new templates of a DaemonSet, one after the other',
      budgets: { edit: 2 },
      images: ['v2', 'v3'],
      ...quiet,
    }),
    extendedDaemonSetWorld({
      name: 'a template follows in mid canary',
      nodes: ['a'],
      canary: 1,
      next: 'unpullable',
      images: ['broken'],
      budgets: { edit: 1 },
      promptCollector: true,
      ...quiet,
    }),
    extendedDaemonSetWorld({ name: 'a setting appears', budgets: { override: 1 }, ...quiet }),
    extendedDaemonSetWorld({
      name: 'a setting appears while a template is rolled out',
      nodes: ['a'],
      next: 'v2',
      budgets: { override: 1 },
      promptCollector: true,
      ...quiet,
    }),
    unitedDeploymentWorld({ name: 'room comes or goes', ...unschedulable, budgets: { time: 4, room: 1 } }),
    ...[heldBack('StatefulSet'), heldBack('AdvancedStatefulSet')].flatMap((held) => [
      atRest(
        unitedDeploymentWorld({
          name: `${held.kind}s are held back while the template changes, and released`,
          ...held,
          budgets: { edit: 1, release: 1 },
          ...quiet,
        }),
      ),
      atRest(
        unitedDeploymentWorld({
          name: `partitions stay while a ${held.kind} grows and shrinks, and the template changes`,
          ...held,
          budgets: { edit: 1, scale: 1 },
          ...quiet,
        }),
      ),
    ]),
    atRest(
      unitedDeploymentWorld({
        name: 'partitions stay while an Advanced StatefulSet is scaled and gets a template, and the operator dies',
        ...heldBack('AdvancedStatefulSet'),
        subsets: [{ name: 'a' }],
        budgets: { edit: 1, scale: 1, fault: 1 },
        faults: ['crash-before', 'crash-after', 'crash-late'],
        ...quiet,
      }),
    ),
    heldSubsetsWorld({
      name: 'subsets are held at CloneSets while the total grows, and the operator dies after a write',
      ...unschedulable,
      rooms: [1, 2],
      totals: [2],
      budgets: { kind: 1, time: 3, scale: 1, fault: 1 },
      faults: ['crash-after'],
    }),
    heldPoolsWorld({ name: 'a new image, and all pools are scaled', ...scaled }),
    heldSubsetsWorld({ name: 'a new image, and all subsets are scaled', ...scaled }),
    heldPoolsWorld({ name: 'a new image reaches the pools that are released', ...released }),
    heldSubsetsWorld({ name: 'a new image reaches the subsets that are released', ...released }),
  ])('$name', (world) => {
    expect(verdictOn(world)).toEqual(safe);
  });
});
