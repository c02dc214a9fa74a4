import { truncateSync } from 'node:fs';
import { contentsOf, restoreContents, type ClusterContents, type ClusterShape } from '@atoll/testbed';
import { startOperatorControlPlane, type OperatorControlPlane } from './operator-control-plane.ts';
import { recordOperator } from './record-operator.ts';

interface Kept {
  readonly own: OperatorControlPlane;
  readonly empty: ClusterContents;
  /** Of the administrator and of the control plane's own programs. */
  readonly programs: ReadonlySet<string>;
}

/** What no file of this worker uses now. It ends with the worker's process. */
let free: Kept | undefined;

/**
 * A control plane that the spec files of one worker use one after the other, with Atoll installed, nodes of this shape and no operator.
 * Starting one takes three seconds of processor time, cleaning it a fraction of one.
 *
 * A file may rely on a cluster that holds nothing of another file: when it disposes of what it got, all programs that it started are
 * killed, everything that it added is deleted, and the audit log begins anew. Numbers that only grow (resource versions, node and pod
 * addresses) are not those of a new cluster.
 *
 * A file must not add definitions, change or delete what is installed, give flags, or kill or pause the control plane's own programs: it
 * calls {@link startOperatorControlPlane} instead. Where one changes or adds definitions all the same, or where its objects cannot be
 * removed, the next file gets a new control plane.
 */
export async function sharedOperatorControlPlane(options: {
  readonly fleet?: ClusterShape;
}): Promise<OperatorControlPlane> {
  const kept = await take();
  const { own } = kept;
  const { controlPlane } = own;
  if (controlPlane.auditLog !== undefined) truncateSync(controlPlane.auditLog, 0);
  const recording = await recordOperator(controlPlane);
  if (options.fleet !== undefined) await controlPlane.addNodes(options.fleet);
  return {
    ...own,
    recording,
    async [Symbol.asyncDispose]() {
      await recording.stop();
      await endPrograms(kept);
      if (free === undefined && (await restoreContents(own.client, kept.empty))) free = kept;
      else await own[Symbol.asyncDispose]();
    },
  };
}

async function take(): Promise<Kept> {
  const kept = free;
  // Who asks before this one is given back gets another.
  free = undefined;
  if (kept === undefined) return startKept();
  // What came late, such as an event about an object that was deleted.
  if (await restoreContents(kept.own.client, kept.empty)) return kept;
  await kept.own[Symbol.asyncDispose]();
  return startKept();
}

async function startKept(): Promise<Kept> {
  const own = await startOperatorControlPlane({});
  await own.recording.stop();
  const { controlPlane, client } = own;
  const programs = new Set(controlPlane.components.map(({ name }) => name));
  return { own, empty: await contentsOf(client), programs };
}

async function endPrograms({ own: { controlPlane }, programs }: Kept): Promise<void> {
  const guests = controlPlane.components.filter(({ name, pid }) => !programs.has(name) && pid !== undefined);
  await Promise.all(guests.map(async (guest) => guest.kill()));
}
