import type { Pod, Stored } from '@atoll/kube';
import { writesOf, type Check, type Violation } from '@atoll/testbed';
import type { RecordedUpgrade } from '../agents/node-agent.ts';

/** A time in which the disk of an agent took nothing. */
export interface FullDisk {
  readonly node: string;
  readonly from: number;
  readonly until: number;
  /** Uids of the pods whose upgrades were on the disk all that time. */
  readonly recorded: ReadonlySet<string>;
}

export interface RecordedUpgradesRule {
  readonly user: string;
  /** What the agents have on disk now. */
  readonly recorded: readonly RecordedUpgrade[];
  readonly fullDisks: readonly FullDisk[];
  /** Uids of all pods that are there now and not being deleted. */
  readonly live: ReadonlySet<string>;
}

/** An agent deletes no pod that it has not recorded before, also while its disk is full, and confirms no deletion that did not come. */
export function recordedUpgrades({ user, recorded, fullDisks, live }: RecordedUpgradesRule): Check {
  const rule = 'agents upgrade what they have recorded';
  const uids = new Set(recorded.map(({ uid }) => uid));
  return (history) => {
    const violations: Violation[] = [];
    const nodes = new Map(
      history.events.map(({ uid, object }) => [uid, (object as Stored<Pod>).spec?.nodeName] as const),
    );
    for (const { audit } of writesOf(history)) {
      const { uid } = audit.preconditions;
      if (audit.user !== user || audit.verb !== 'delete' || audit.code >= 300 || uid === undefined) continue;
      const what = `${audit.name} (${uid})`;
      if (!uids.has(uid)) violations.push({ rule, message: `${what} was deleted and is not recorded` });
      const during = fullDisks.find(
        ({ node, from, until }) =>
          nodes.get(uid) === node && audit.receivedAt >= from && audit.receivedAt < until,
      );
      if (during !== undefined && !during.recorded.has(uid))
        violations.push({ rule, message: `${what} was deleted while the disk of ${during.node} was full` });
    }
    for (const { uid, isConfirmed } of recorded)
      if (isConfirmed && live.has(uid))
        violations.push({ rule, message: `the deletion of ${uid} is confirmed, and the pod is there` });
    return violations;
  };
}
