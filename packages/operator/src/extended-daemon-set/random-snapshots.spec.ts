// Objects in whatever state with whatever pods on whatever nodes.
import {
  controllerOf,
  isReady,
  scaleIntOrPercent,
  type KubeObject,
  type Pod,
  type Stored,
} from '@atoll/kube';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isTerminating } from '../children/child.ts';
import { isFinished } from '../children/pods/pod-facts.ts';
import { nodeOf } from '../children/pods/placement/node-of-pod.ts';
import type { StatusWrite } from '../engine/controller.ts';
import { statusDiff } from '../engine/status/status-diff.ts';
import type { Step } from '../engine/step.ts';
import { decide } from './decide.ts';
import { now } from './extended-daemon-set.fixture.ts';
import type { ExtendedDaemonSetSnapshot } from './observe.ts';
import { plan } from './plan.ts';
import { anyFleet, snapshotOfFleet, type AnyFleet } from './random-snapshots.fixture.ts';
import { report } from './report.ts';

function stepsOf(snapshot: ExtendedDaemonSetSnapshot, at = now): readonly Step[] {
  return plan(snapshot, decide(snapshot, at), at).stages.flatMap(({ steps }) => steps);
}

/** The same after all statuses are written; undefined: something is done first. */
function atRest(snapshot: ExtendedDaemonSetSnapshot): ExtendedDaemonSetSnapshot | undefined {
  let at = snapshot;
  for (let round = 0; round < 5; round += 1) {
    if (stepsOf(at).length > 0) return undefined;
    const writes = report(at, decide(at, now), { results: [] }, now).filter(changes);
    if (writes.length === 0) return at;
    at = written(at, writes);
  }
  throw new Error('the status changes without end');
}

function changes({ object, status }: StatusWrite): boolean {
  return statusDiff((object as { readonly status?: object }).status, status) !== undefined;
}

function written(
  { owner, replicaSets, settings, ...rest }: ExtendedDaemonSetSnapshot,
  writes: readonly StatusWrite[],
): ExtendedDaemonSetSnapshot {
  const statuses = new Map(writes.map(({ object, status }) => [object.metadata.uid, status]));
  const after = <T extends Stored<KubeObject>>(object: T): T => {
    const status = statuses.get(object.metadata.uid);
    return status === undefined ? object : { ...object, status };
  };
  return {
    ...rest,
    owner: owner === undefined ? undefined : { ...owner, object: after(owner.object) },
    replicaSets: replicaSets.map(after),
    settings: settings.map(after),
  };
}

/** Nodes on which nothing keeps a pod from being made. */
function plainNodes({ nodes }: AnyFleet): readonly string[] {
  return nodes.flatMap(({ is }, index) => (plain.includes(is) ? [`n${index}`] : []));
}

const plain: readonly string[] = ['there', 'cordoned', 'annotated', 'misread'];

/** Nodes with a pod that serves them. */
function served(pods: readonly Stored<Pod>[]): ReadonlySet<string | undefined> {
  return new Set(pods.filter((pod) => isReady(pod) && !isTerminating(pod) && !isFinished(pod)).map(nodeOf));
}

/** undefined: something is done, it waits for something that it names, or all is as it should be. */
function silenceOf(fleet: AnyFleet): string | undefined {
  const snapshot = atRest(snapshotOfFleet(fleet));
  if (snapshot === undefined) return undefined;
  const conditions = snapshot.owner?.object.status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') {
    const wanted = `agent-${fleet.spec}`;
    const own = served(snapshot.pods.filter((pod) => controllerOf(pod)?.name === wanted));
    const bare = plainNodes(fleet).filter((name) => !own.has(name));
    return bare.length === 0 ? undefined : `is Ready, and ${bare.join()} has no pod that is`;
  }
  const { holds, requeueAt, inspect } = decide(snapshot, now);
  // Pods that start are named in the message, and after a while the inspector finds why they are not Ready.
  const waits = holds.length > 0 || requeueAt !== undefined || inspect.length > 0;
  return waits ? undefined : `is not Ready (${ready?.reason}: ${ready?.message}), and waits for nothing`;
}

it('an object at rest has a Ready pod on every node that is to run one, or says what it waits for', () => {
  fc.assert(
    fc.property(anyFleet, (fleet) => {
      expect(silenceOf(fleet)).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

const second = 1_000;
const later = [1, 11, 61, 301, 611, 901, 3_700, 40_000, 100_000].map((seconds) => seconds * second);

/** What would be done by time alone, and before the moment at which it is looked at again. */
function missedBy(snapshot: ExtendedDaemonSetSnapshot): readonly string[] {
  const { requeueAt = Infinity } = decide(snapshot, now);
  return later
    .filter((after) => now + after < requeueAt)
    .flatMap((after) =>
      stepsOf(snapshot, now + after).map(
        ({ why: { word }, target = '' }) => `${word} ${target} after ${after / second} s`,
      ),
    );
}

it('an object at rest is looked at again when time alone lets it go on', () => {
  fc.assert(
    fc.property(anyFleet, (fleet) => {
      const snapshot = atRest(snapshotOfFleet(fleet));
      expect(snapshot === undefined ? [] : missedBy(snapshot)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

it('no more nodes than maxUnavailable lose a pod that is Ready', () => {
  fc.assert(
    fc.property(anyFleet, (fleet) => {
      const snapshot = snapshotOfFleet(fleet);
      const { canaryToRecord } = decide(snapshot, now).fleet?.roles ?? {};
      const tried = new Set([...(fleet.canaryNodes ?? []), ...(canaryToRecord?.nodes ?? [])]);
      const deleted = new Set(stepsOf(snapshot).flatMap((step) => (step.do === 'delete' ? step.uid : [])));
      const left = snapshot.pods.filter(({ metadata }) => !deleted.has(metadata.uid));
      const [before, after] = [served(snapshot.pods), served(left)];
      const own = plainNodes(fleet).filter((name) => !tried.has(name));
      const lost = own.filter((name) => before.has(name) && !after.has(name));
      const { maxUnavailable } = fleet;
      const most = maxUnavailable === '10$' ? 0 : scaleIntOrPercent(maxUnavailable, fleet.nodes.length, 'up');
      expect(lost.length).toBeLessThanOrEqual(most);
    }),
    { numRuns: 300 },
  );
});

/** All pods were made with a setting that is gone for long, and its definition is not the one of then. */
const withLostSetting = anyFleet.map((fleet): AnyFleet => ({
  ...fleet,
  settings: 'none',
  goneSince: 300,
  definition: fleet.definition === 'old' ? 'new' : fleet.definition,
  nodes: fleet.nodes.map((each) => ({
    ...each,
    pods: each.pods.map((pod) => ({ ...pod, setting: 'wide' })),
  })),
}));

it('no pod is replaced for its overrides whose setting may have gone with the definition of all of them', () => {
  fc.assert(
    fc.property(withLostSetting, (fleet) => {
      const steps = stepsOf(snapshotOfFleet(fleet));
      const messages = steps.filter(({ why }) => why.word === 'PodOutdated').map(({ why }) => why.message);
      expect(messages.filter((message) => message.includes('with other resources'))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
