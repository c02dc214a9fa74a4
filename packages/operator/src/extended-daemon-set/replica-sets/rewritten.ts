import { extendedDaemonSetTimes, type ExtendedDaemonSet, type ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { byAge, instantOf, type Instant, type Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { hold, type Hold } from '../../engine/hold.ts';
import { sameTemplate, templateHash } from './template-meaning.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

export interface Rewritten {
  /** They show that the next one would be rewritten too, so they stay. */
  readonly kept: readonly ReplicaSet[];
  /** Those made before these, which show nothing more. */
  readonly before: ReadonlySet<ReplicaSet>;
  /** When another one may be made; undefined: now. */
  readonly nextAt: Instant | undefined;
  readonly hold: Hold | undefined;
}

const madeWithoutPause = 2;

/**
 * The replica sets that were made of the template in the spec and hold another one, because a webhook rewrites them or their definition prunes fields of the
 * template. Each new one would be rewritten too, be none of the template, and be made again without end, so another one is made after a pause.
 */
export function rewrittenReplicaSets(
  { spec: { template } }: Pick<ExtendedDaemonSet, 'spec'>,
  replicaSets: readonly ReplicaSet[],
  now: Instant,
): Rewritten {
  const hash = templateHash(template);
  // One that somebody edits long after it was made costs no pause. One that is edited as soon as it is there does, as by a controller that rewrites images.
  const wasMadeSo = ({ generation = 1, creationTimestamp }: ReplicaSet['metadata']): boolean =>
    generation === 1 ||
    now - (instantOf(creationTimestamp) ?? now) < extendedDaemonSetTimes.rewrittenMadeAgain;
  const isRewritten = ({ metadata, spec }: ReplicaSet): boolean =>
    wasMadeSo(metadata) && spec.templateGeneration === hash && !sameTemplate(spec.template, template);
  const rewritten = replicaSets.filter((each) => !isTerminating(each) && isRewritten(each)).sort(byAge);
  const kept = rewritten.slice(-madeWithoutPause);
  const before = new Set(rewritten.slice(0, -madeWithoutPause));
  const last = kept.at(-1)?.metadata;
  if (last === undefined || kept.length < madeWithoutPause)
    return { kept, before, nextAt: undefined, hold: undefined };
  const due = (instantOf(last.creationTimestamp) ?? now) + extendedDaemonSetTimes.rewrittenMadeAgain;
  return { kept, before, nextAt: due > now ? due : undefined, hold: rewrittenHold(last.name) };
}

/** The same whether another one is made now or later. */
function rewrittenHold(name: string): Hold {
  const problem =
    `the template of replica set ${name} is not the one it was made with: somebody rewrites it, as a mutating webhook does, or the CustomResourceDefinition of ` +
    'ExtendedDaemonSetReplicaSets is older than that of ExtendedDaemonSets. Exempt ExtendedDaemonSetReplicaSets from that, or install both ' +
    'definitions; another replica set is made every 5 minutes';
  return hold('ChangedBack', 'person', [], { problem }, true);
}
