import type { Child, ChildCondition } from './child.ts';

/** How far a child has come with the spec that was last written to it. */
export interface ChildHealth {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly updatedReplicas: number;
  readonly availableReplicas: number;
  /** Its controller has seen the last spec; older counts say nothing about it. */
  readonly observed: boolean;
  readonly updated: boolean;
  readonly available: boolean;
  /** The old operator's `availableCondition`. */
  readonly availableCondition: string;
  /** What its controller says is wrong, as opposed to not done yet. */
  readonly stuck?: string;
}

/** Objects of a cache are frozen: what was read of one stays true, and most children did not change since the last pass. */
const healths = new WeakMap<Child['object'], ChildHealth>();

export function healthOf(child: Child): ChildHealth {
  const known = healths.get(child.object);
  if (known !== undefined) return known;
  const health = read(child);
  healths.set(child.object, health);
  return health;
}

function read({ kind, object }: Child): ChildHealth {
  const { status = {} } = object;
  const {
    replicas = 0,
    readyReplicas = 0,
    updatedReplicas = 0,
    availableReplicas = 0,
    conditions = [],
  } = status;
  const wanted = object.spec?.replicas ?? 1;
  const observed = (status.observedGeneration ?? 0) >= (object.metadata.generation ?? 0);
  const partition = object.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  const toUpdate = kind === 'StatefulSet' ? Math.max(0, wanted - partition) : wanted;
  // A Deployment still has old pods while its total exceeds what is updated.
  const oldPodsLeft = kind === 'Deployment' && replicas > updatedReplicas;
  const available = observed && availableReplicas >= wanted;
  const stuck = stuckBy(conditions);
  return {
    replicas,
    readyReplicas,
    updatedReplicas,
    availableReplicas,
    observed,
    updated: observed && updatedReplicas >= toUpdate && !oldPodsLeft,
    available,
    availableCondition: availableCondition(conditions, kind === 'StatefulSet' ? available : undefined),
    ...(stuck === undefined ? {} : { stuck }),
  };
}

function availableCondition(conditions: readonly ChildCondition[], counted: boolean | undefined): string {
  if (counted !== undefined) return counted ? 'True' : 'False';
  return conditions.find((each) => each.type === 'Available')?.status ?? 'Unknown';
}

/** Only what the Deployment controller itself calls a failure; a StatefulSet has no such conditions. */
function stuckBy(conditions: readonly ChildCondition[]): string | undefined {
  const failure = conditions.find((each) => each.type === 'ReplicaFailure' && each.status === 'True');
  if (failure !== undefined) return failure.message ?? 'its pods are refused';
  const late = conditions.find(
    (each) => each.type === 'Progressing' && each.reason === 'ProgressDeadlineExceeded',
  );
  return late === undefined ? undefined : (late.message ?? 'its progress deadline is exceeded');
}
