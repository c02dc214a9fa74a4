import { instantOf, parseIntOrPercent, toTimestamp, type Instant } from '@atoll/kube';
import type { NodeTarget } from '../../fleet/nodes/node-targets.ts';
import type { CanaryStrategy } from '../../read-strategy.ts';
import type { CanaryVerdict } from './canary-verdict.ts';

/** What decides about the promotion of a canary. */
export interface PromotionEvidence {
  /** For messages. */
  readonly object: { readonly namespace?: string; readonly name: string };
  readonly replicaSet: string;
  readonly strategy: Pick<CanaryStrategy, 'mode' | 'replicas' | 'durationMs' | 'noRestartsMs'>;
  readonly verdict: CanaryVerdict;
  /** The annotation `canary-valid`. */
  readonly valid: string | undefined;
  /** The object has a problem that a person must mend. */
  readonly problem: string | undefined;
  /** From when its duration counts. */
  readonly countsFrom: Instant;
  readonly lastRestartAt: Instant | undefined;
  /** It has been the active one before. */
  readonly wasActive: boolean;
  readonly targets: readonly NodeTarget[];
  /** The status names this canary, and these nodes and no others. */
  readonly isRecorded: boolean;
  /** A person asks for upstream's rule: time alone decides. */
  readonly withoutHealth: boolean;
  readonly now: Instant;
}

/** Whether a canary becomes the active replica set now. `promote` is false: what it waits for. */
export type Promotion =
  | { readonly promote: true; readonly by: string; readonly why: string }
  | {
      readonly promote: false;
      readonly by: string;
      readonly waitsFor: 'person' | 'time' | 'health' | 'nodes';
      readonly waitingUntil: string;
      readonly until?: Instant;
      readonly targets?: readonly string[];
    };

type Answer =
  Omit<Extract<Promotion, { promote: true }>, 'by'> | Omit<Extract<Promotion, { promote: false }>, 'by'>;

interface PromotionPolicy {
  readonly name: string;
  readonly judge: (evidence: PromotionEvidence) => Answer | undefined;
}

/** In this order; the first that answers decides, and the last always does. */
const promotionPolicies: readonly PromotionPolicy[] = [
  {
    name: 'failed',
    judge: ({ verdict }) =>
      verdict.is === 'failed' ? person('the template is changed: this one has failed') : undefined,
  },
  {
    name: 'canary-valid',
    judge: ({ valid, replicaSet }) =>
      valid === replicaSet ? { promote: true, why: 'a person has validated it' } : undefined,
  },
  {
    name: 'spec',
    judge: ({ problem }) => (problem === undefined ? undefined : person(`the spec is corrected: ${problem}`)),
  },
  {
    name: 'paused',
    judge: ({ verdict }) =>
      verdict.is === 'paused'
        ? person('a person lets it go on (canary-unpaused), validates it or changes the template')
        : undefined,
  },
  {
    name: 'manual',
    judge: ({ strategy: { mode }, object }) =>
      mode === 'manual' ? person(`${validated(object)}: its validationMode is manual`) : undefined,
  },
  {
    // Before time is asked: on no node it is not promoted when that is over, unless its health is not asked.
    name: 'pods exist',
    judge: ({ targets, wasActive, withoutHealth, strategy: { replicas } }) =>
      targets.length > 0 || wasActive || withoutHealth
        ? undefined
        : {
            promote: false,
            waitsFor: 'nodes',
            waitingUntil:
              parseIntOrPercent(replicas).value === 0
                ? 'a canary pod is asked for: spec.strategy.canary.replicas means no node'
                : 'a node that fits its template and its nodeSelector is Ready, without a taint of its absence',
          },
  },
  {
    name: 'duration',
    judge: ({ strategy: { durationMs }, countsFrom, object, now }) => {
      if (durationMs === undefined) return person(`${validated(object)}: it has no duration`);
      return after(countsFrom + durationMs, now, 'its duration is over');
    },
  },
  {
    name: 'noRestartsDuration',
    judge: ({ strategy: { noRestartsMs }, lastRestartAt, now }) =>
      noRestartsMs === undefined || lastRestartAt === undefined
        ? undefined
        : after(lastRestartAt + noRestartsMs, now, 'its pods have not restarted for its noRestartsDuration'),
  },
  {
    name: 'was active before',
    judge: ({ wasActive }) =>
      wasActive ? { promote: true, why: 'it has been the active one before' } : undefined,
  },
  {
    name: 'without health',
    judge: ({ withoutHealth }) =>
      withoutHealth ? { promote: true, why: 'its duration is over, and its health is not asked' } : undefined,
  },
  {
    name: 'pods are ready',
    judge: ({ targets }) => {
      const waiting = targets
        .filter(({ matches, ready }) => !matches || !ready)
        .map(({ target }) => target.id);
      if (waiting.length === 0) return undefined;
      return {
        promote: false,
        waitsFor: 'health',
        waitingUntil: 'its pods exist, are of its template and Ready',
        targets: waiting.sort(),
      };
    },
  },
  {
    // A pod that took the place of one that was evicted, or whose node was lost, has shown nothing yet.
    name: 'age of pods',
    judge: ({ strategy: { durationMs = 0, noRestartsMs = 0 }, countsFrom, targets, now }) => {
      const needed = Math.min(durationMs, noRestartsMs);
      if (needed === 0) return undefined;
      const made = targets.flatMap(({ pods: { kept } }) => instantOf(kept?.metadata.creationTimestamp) ?? []);
      const { newest, most } = agesOf(made);
      const patience = countsFrom + durationMs + 2 * needed;
      const whenMost = Math.max(patience, most + needed);
      return whenMost < newest + needed
        ? after(whenMost, now, 'most of its pods are as old as its noRestartsDuration')
        : after(newest + needed, now, 'its newest pod is as old as its noRestartsDuration');
    },
  },
  {
    // Who decides next must be able to see what was tried where (decision 10). The write that records it enqueues the object.
    name: 'recorded',
    judge: ({ isRecorded }) =>
      isRecorded
        ? undefined
        : { promote: false, waitsFor: 'time', waitingUntil: 'the status names it and its nodes' },
  },
];

/** Asks the chain; pure. */
export function mayPromote(evidence: PromotionEvidence): Promotion {
  for (const { name, judge } of promotionPolicies) {
    const answer = judge(evidence);
    if (answer !== undefined) return { ...answer, by: name } as Promotion;
  }
  return { promote: true, by: 'time and health', why: 'its duration is over, and all of its pods are Ready' };
}

/**
 * When the newest of the pods was made, and when more than half of them were there: of a canary on many nodes some are always new where nodes come and go, and it
 * would never end.
 */
function agesOf(made: readonly Instant[]): { readonly newest: Instant; readonly most: Instant } {
  const sorted = made.toSorted((a, b) => a - b);
  return { newest: Math.max(...sorted), most: sorted[Math.floor(sorted.length / 2)] ?? 0 };
}

function validated({ namespace = '', name }: PromotionEvidence['object']): string {
  return `a person validates it with kubectl eds canary validate ${name} -n ${namespace}`;
}

function person(waitingUntil: string): Answer {
  return { promote: false, waitsFor: 'person', waitingUntil };
}

function after(moment: Instant, now: Instant, waitingUntil: string): Answer | undefined {
  if (moment < now) return undefined;
  const named = `${waitingUntil}, which is at ${toTimestamp(moment)}`;
  return { promote: false, waitsFor: 'time', waitingUntil: named, until: moment + 1 };
}
