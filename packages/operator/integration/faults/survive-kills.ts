import type { KubeObject, Stored } from '@atoll/kube';
import {
  atMostOneLiveChild,
  checkHistory,
  countWrites,
  deletesCarryUid,
  formatHistory,
  noWastedWrites,
  touchesOnlyOwn,
  writesOf,
  type Check,
  type Violation,
} from '@atoll/testbed';
import { killOften, type Killing } from './kill-often.ts';
import { operatorUser, restless } from '../set-up/operator-control-plane.ts';
import type { ProxiedControlPlane } from '../set-up/proxied-control-plane.ts';
import { seeded, seedOf } from '../set-up/random.ts';

const revisions = 'controllerrevisions.apps';

type Course = Pick<Killing, 'changes' | 'changeMore' | 'killsPerChange' | 'electionRounds' | 'expectSettled'>;

/** How much of it: a few in `npm test`, many in `npm run test:long`. */
export interface Size {
  /** Pools, or UnitedDeployments. */
  readonly objects: number;
  /** A multiple of four: each of the moments at which it dies comes equally often. */
  readonly kills: number;
  readonly electionRounds?: readonly number[];
}

export interface Survival extends Course {
  readonly world: ProxiedControlPlane;
  readonly kills: number;
  /** Of what there is how much, for those who read the run: `60 pools`. */
  readonly size: string;
  /** Resources of the children. */
  readonly children: readonly string[];
  /** The label that names the place a child serves. */
  readonly place: string;
  /** Resources of those who own the children. */
  readonly owners: readonly string[];
  readonly listOwners: () => Promise<readonly Stored<KubeObject>[]>;
  /** What else holds at every moment. */
  readonly checks?: readonly Check[];
}

/** What the audit log shows of the whole run. */
export interface Aftermath {
  /** Moments with a duplicate, a foreign object that was touched, a delete of whatever has the name. */
  readonly violations: readonly Violation[];
  readonly childrenCreated: number;
  /** Writes that changed nothing. */
  readonly wasted: number;
  /** What the dead left on its way finds its object there already, or newer. */
  readonly wasteOfTheDead: number;
}

/** Kills the operator while it works; rejects unless all is as wanted in the end. `ATOLL_SEED=n` repeats a run. */
export async function surviveKills(survival: Survival): Promise<Aftermath> {
  const { world, kills, children, owners, place, size, checks = [] } = survival;
  const { recording, proxy, kubeconfig } = world;
  const written = [...children, revisions, ...owners];
  const seed = seedOf(process.env['ATOLL_SEED']);
  const began = performance.now();
  const killing = { ...survival, proxy, kubeconfig, random: seeded(seed), written };
  const { rounds, arrivedLate } = await killOften(killing);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const operators = { user: operatorUser, except: restless };
  await recording.waitForQuiescence({ ...operators, resources: written, quietMs: 2_000 });

  const history = await recording.history();
  const wasted = noWastedWrites(operators)(history);
  const { total, byVerb } = countWrites(history, operators);
  const happened = (type: string): number =>
    history.events.filter(
      (event) => children.includes(event.resource) && event.type === type && !event.initial,
    ).length;
  const unanswered = writesOf(history).filter(
    ({ audit }) => audit.user === operatorUser && written.includes(audit.resource) && audit.code >= 400,
  );
  console.log(
    [
      `seed ${seed}: ${kills} kills in ${seconds} s, ${size}`,
      ...rounds.map((line) => `  ${line}`),
      `  ${total} writes: ${[...byVerb].map(([what, count]) => `${count} ${what}`).join(', ')}`,
      `  ${happened('ADDED')} children created, ${happened('DELETED')} deleted, ${wasted.length} writes that changed nothing`,
      `  ${arrivedLate} requests arrived after their sender's successor had finished; ${unanswered.length} were refused or given up`,
      ...wasted.map(({ message }) => `    ${message}`),
    ].join('\n'),
  );
  const ownerUids = new Set((await survival.listOwners()).map(({ metadata }) => metadata.uid));
  const violations = checkHistory(history, [
    atMostOneLiveChild({ resources: children, place }),
    ...checks,
    deletesCarryUid({ user: operatorUser }),
    touchesOnlyOwn({ user: operatorUser, resources: [...children, revisions], ownerUids }),
  ]);
  if (violations.length > 0) {
    const ours = formatHistory(history, {
      where: (entry) => entry.kind === 'write' && entry.audit.user === operatorUser,
    });
    console.log(ours);
  }
  return {
    violations,
    childrenCreated: happened('ADDED'),
    wasted: wasted.length,
    wasteOfTheDead: arrivedLate + kills,
  };
}
