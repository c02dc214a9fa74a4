import { extendedDaemonSetReplicaSets } from '@atoll/api';
import { pods } from '@atoll/kube';
import { createExtendedDaemonSetController } from '../../../src/extended-daemon-set/controller.ts';
import { podsOfNodesBut } from '../../neighbours/daemon-pods.ts';
import { orphanFinalizer } from '../../neighbours/orphan-finalizer.ts';
import { processOf } from '../../process.ts';
import type { World } from '../../world.ts';
import { fromOptions, now } from '../world-options.ts';
import type { WorldOptions } from '../world-options.ts';
import { withBug } from './extended-daemon-set-bugs.ts';
import type { ExtendedDaemonSetBug } from './extended-daemon-set-bugs.ts';
import { agentCaches, agentKey, settingsFor, settledAgent } from './extended-daemon-set-objects.ts';
import { peopleOf } from './extended-daemon-set-people.ts';
import {
  agentMemory,
  missingIn,
  wrongEffectOf,
  wrongPlanOf,
  wrongReportOf,
} from './extended-daemon-set-oracles.ts';
import { asksFor, missingUnrecorded, missingWhereRefused, refusalIn } from './refused-pods.ts';

export interface ExtendedDaemonSetWorldOptions extends WorldOptions {
  readonly nodes?: readonly string[];
  readonly maxUnavailable?: number;
  /** The least interval between two batches of deletions; default: one that is too short to be recorded. */
  readonly reconcileFrequency?: string;
  /** How long slow start allows one pod, then one more; default: it allows any number. */
  readonly slowStart?: string;
  /** How many canary nodes; undefined: a new template goes to all nodes at once. */
  readonly canary?: number;
  /** A template that is rolled out, or tried, when it begins; undefined: all is at rest. */
  readonly next?: string;
  /** The processors that an annotation of each node asks for. */
  readonly annotated?: string;
  /** The nodes that have that annotation; default: all. */
  readonly annotatedNodes?: readonly string[];
  /** More nodes, which the object's selector leaves out by their label, so that they have no pod. */
  readonly leftOut?: readonly string[];
  /** More nodes, with a taint that lets no pod stay, so that they have none. */
  readonly tainted?: readonly string[];
  /** The processors that a setting of all nodes asks for, with which their pods were made. */
  readonly overridden?: string;
  /** Each node has a setting of its own, and those of these nodes are gone; default: one for all, which is there. */
  readonly takenBack?: readonly string[];
  /** The canary before was validated: its annotation names the replica set that is active now. */
  readonly validated?: boolean;
  /** A person validates canaries: time does not promote them. */
  readonly manual?: boolean;
  /** The images that somebody sets, in this order. */
  readonly images?: readonly string[];
  /** An image that a node never gets, by the name of the node. */
  readonly withoutImage?: Readonly<Record<string, string>>;
  /** A node that is away does not come back by itself. */
  readonly staysAway?: boolean;
  /** A policy refuses pods of this image. */
  readonly refused?: string;
  /** A policy refuses pods that ask for so many processors. */
  readonly refusedCpu?: string;
  /** A policy refuses to delete the pod of this node. */
  readonly undeletedOn?: string;
  /** A policy refuses the statuses of replica sets. */
  readonly unrecordable?: boolean;
  /** How long the object has been there when it begins; default 0. */
  readonly ageMs?: number;
  /** The garbage collector ends what is deleted before anything else happens. Default false. */
  readonly promptCollector?: boolean;
  /** Kubelets end and start pods before anything else happens. Default false. */
  readonly promptKubelets?: boolean;
  readonly bug?: ExtendedDaemonSetBug;
}

const durationMs = 10 * 60_000;

/** An ExtendedDaemonSet with a pod on every node, and its kubelets; people change the template and steer the canary, nodes go away and come back. */
export function extendedDaemonSetWorld(options: ExtendedDaemonSetWorldOptions): World {
  const { nodes: names = ['a', 'b'], maxUnavailable = 1, canary, images = ['v2'], ageMs = 0, bug } = options;
  const { manual = false } = options;
  const mode = manual ? ({ validationMode: 'manual' } as const) : { duration: '10m' };
  const strategy = canary === undefined ? undefined : { replicas: canary, ...mode };
  const { next, annotated, annotatedNodes, validated = false, leftOut = [], tainted = [] } = options;
  const { overridden, takenBack } = options;
  const { reconcileFrequency = '1ms', slowStart, unrecordable = false } = options;
  const {
    refused: image,
    refusedCpu: cpu,
    undeletedOn: deletedOn,
    withoutImage = {},
    staysAway = false,
    promptCollector: prompt = false,
    promptKubelets = false,
  } = options;
  const shape = {
    nodes: names,
    canary: strategy,
    maxUnavailable,
    reconcileFrequency,
    slowStart,
    next,
    annotated,
    annotatedNodes,
    overridden,
    takenBack,
    validated,
    leftOut,
    tainted,
  };
  const settings = settingsFor({ nodes: names.filter((each) => !takenBack?.includes(each)), takenBack }, '1');
  const refused = { image, cpu, deletedOn, records: unrecordable };
  return {
    // Times are minutes, and all else is quick.
    ...fromOptions({ patient: true, ...options }),
    now: now + ageMs,
    build: (shown) =>
      processOf(shown, agentCaches, (readers) =>
        withBug(createExtendedDaemonSetController(readers, 'auto'), bug),
      ),
    begin: settledAgent(shape),
    keys: [agentKey],
    neighbours: [
      { ...podsOfNodesBut(withoutImage), prompt: promptKubelets },
      { ...orphanFinalizer(extendedDaemonSetReplicaSets, [pods]), prompt },
      ...peopleOf(images, settings, staysAway),
    ],
    wrongEffect: wrongEffectOf(maxUnavailable, manual ? Infinity : durationMs, refused),
    wrongPlan: wrongPlanOf,
    wrongReport: wrongReportOf,
    memory: agentMemory,
    missing: (store) =>
      unrecordable
        ? missingUnrecorded(store)
        : asksFor(store, image)
          ? missingWhereRefused(store, refused)
          : missingIn(store, refused),
    refuse: (operation) => refusalIn(operation, refused),
  };
}
