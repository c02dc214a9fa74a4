import type { Condition } from '@atoll/api';
import { ApiError, controllerOf, formatKey, isApiError } from '@atoll/kube';
import type { KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';
import type { Answer, WriteStep } from '../requests/request.ts';
import { targetOf } from '../requests/request.ts';
import { judgeTrial } from './judge-trial.ts';
import { contains } from '../../same-meaning.ts';
import type { StepResult } from '../../step.ts';
import { loweredError, loweredReplicas } from './lowered-replicas.ts';
import { nameBadQuantities } from './name-bad-quantities.ts';
import { nameTemplateFields } from './name-template-fields.ts';

/** What the write-through cache takes from an answer. */
export type CacheUpdate =
  | { readonly resource: Resource<KubeObject>; readonly present: Stored<KubeObject> }
  | {
      readonly resource: Resource<KubeObject>;
      readonly gone: { readonly key: ObjectKey; readonly uid: string };
    };

/**
 * What an answer means for its step: its result, or the object must be read live before there is one. `readBack`: what
 * is cached of the object is older than the server's, so it is read live before its key is planned again.
 */
export type Verdict =
  | { readonly result: StepResult; readonly updates: readonly CacheUpdate[]; readonly readBack?: true }
  | { readonly readLive: true; readonly error: ApiError };

type CreateStep = Extract<WriteStep, { readonly do: 'create' }>;

/** The reason of the error when a name that we need belongs to somebody else. */
export const nameTaken = 'NameTaken';

/**
 * What the API server's answer to a step's request means. Pure: the executor acts on it, and the exploration runs
 * it against the model of the API server.
 */
export function judge(step: WriteStep, answer: Answer): Verdict {
  if (step.do === 'try') return judgedTrial(step, answer);
  const { resource, key } = targetOf(step);
  if (answer.ok) {
    if (answer.object !== undefined) {
      const updates = [{ resource, present: answer.object }];
      const lowered = loweredBy(step, answer.object);
      return lowered === undefined ? done(step, updates) : failed(step, lowered, updates);
    }
    return done(step, step.do === 'delete' ? [{ resource, gone: { key, uid: step.uid } }] : []);
  }
  const { error } = answer;
  if (error.fate === 'in-doubt') return { readLive: true, error };
  if (error.fate === 'unsent') return failed(step, error);

  if (step.do === 'create') {
    const exists =
      isApiError(error, 'AlreadyExists') || (step.managed === 'apply' && isApiError(error, 'Conflict'));
    return exists ? { readLive: true, error } : failed(step, error);
  }
  if (isApiError(error, 'NotFound')) {
    if (step.do === 'delete') return done(step, [{ resource, gone: { key, uid: step.uid } }]);
    // It may be the subresource that is not there: a live read shows whether the object is.
    return { ...outdated(step, []), readBack: true };
  }
  return isPreconditionFailure(error) ? { ...outdated(step, []), readBack: true } : failed(step, error);
}

/** It was made or changed, and lacks pods that were asked for. */
function loweredBy(step: WriteStep, answer: KubeObject): ApiError | undefined {
  if (step.do !== 'create' && step.do !== 'apply') return undefined;
  const lowered = loweredReplicas(step.object, answer);
  if (lowered === undefined) return undefined;
  const named = `${step.resource.kind} ${step.object.metadata.name}`;
  const { asked, left } = lowered;
  return loweredError(
    step.do,
    step.do === 'create'
      ? `${named} was made with ${left} replicas in place of ${asked}`
      : `the change of ${named} to ${asked} replicas left it with ${left}`,
  );
}

/** The object that would be changed may be gone, or another one. */
function judgedTrial(step: Extract<WriteStep, { readonly do: 'try' }>, given: Answer): Verdict {
  const answer = given.ok ? given : { ...given, error: nameTemplateFields(step, given.error) };
  const isGone =
    !answer.ok &&
    step.uid !== undefined &&
    answer.error.fate === 'refused' &&
    (isApiError(answer.error, 'NotFound') || isPreconditionFailure(answer.error));
  return isGone
    ? { ...outdated(step, []), readBack: true }
    : { result: judgeTrial(step, answer), updates: [] };
}

/** What the cache takes from a live read of an object that was believed to have the uid; undefined: believed to be absent. */
export function seenLive(
  resource: Resource<KubeObject>,
  key: ObjectKey,
  uid: string | undefined,
  live: Stored<KubeObject> | undefined,
): readonly CacheUpdate[] {
  const gone = uid === undefined || live?.metadata.uid === uid ? [] : [{ resource, gone: { key, uid } }];
  return live === undefined ? gone : [...gone, { resource, present: live }];
}

/**
 * The result of a step after a live read of its object: the response was lost (F1), or a name was taken (F7). `error` is
 * why it had to be read.
 */
export function judgeLive(
  step: WriteStep,
  error: ApiError,
  live: Stored<KubeObject> | undefined,
): Extract<Verdict, { readonly result: StepResult }> {
  const { resource, key } = targetOf(step);
  const seen: readonly CacheUpdate[] = live === undefined ? [] : [{ resource, present: live }];
  // What was tried made nothing, so nothing is read back.
  if (step.do === 'try') return failed(step, error);

  if (step.do === 'create') {
    if (live === undefined) return failed(step, error);
    if (!isOurs(step, live)) return failed(step, nameTakenError(step, live, error), seen);
    // The name is free only when the old object is gone; the plan sees it terminating from now on.
    if (live.metadata.deletionTimestamp !== undefined) return outdated(step, seen);
    return { result: { step, did: 'done', adopted: true }, updates: seen };
  }

  const gone = seenLive(resource, key, step.uid, live);
  const same = live !== undefined && live.metadata.uid === step.uid;
  if (step.do === 'delete') {
    if (!same) return done(step, gone);
    return live.metadata.deletionTimestamp === undefined ? failed(step, error, seen) : done(step, seen);
  }
  if (!same) return outdated(step, gone);
  return isAsWanted(step, live) ? done(step, seen) : failed(step, error, seen);
}

/** The server refused because the object is not the one, or not in the state, that the step was planned for. */
export function isPreconditionFailure(error: ApiError): boolean {
  if (error.reason === 'Conflict') return true;
  if (error.reason !== 'Invalid') return false;
  return error.status?.details?.causes?.some((cause) => cause.field === 'metadata.uid') === true;
}

function isOurs(step: CreateStep, live: Stored<KubeObject>): boolean {
  return hasOurController(step, live) && lostLabels(step, live).length === 0;
}

function hasOurController(step: CreateStep, live: Stored<KubeObject>): boolean {
  const owner = controllerOf(step.object)?.uid;
  return owner !== undefined && controllerOf(live)?.uid === owner;
}

/** Of the labels by which it is found, those that it has not as it was made. */
function lostLabels({ identity = [], object }: CreateStep, live: Stored<KubeObject>): readonly string[] {
  const { labels = {} } = object.metadata;
  return identity.filter((label) => labels[label] !== live.metadata.labels?.[label]);
}

function isAsWanted(
  step: Extract<WriteStep, { readonly do: 'apply' | 'patch' | 'conditions' }>,
  live: Stored<KubeObject>,
): boolean {
  if (step.do === 'conditions') return hasConditions(live, step);
  if (step.do === 'apply') return contains(live, step.object);
  return step.patch.type === 'merge' && contains(live, step.patch.body);
}

/** Those that are to go are gone too. */
function hasConditions(
  live: object,
  { conditions: wanted, types }: Extract<WriteStep, { readonly do: 'conditions' }>,
): boolean {
  const { conditions = [] } =
    (live as { readonly status?: { readonly conditions?: readonly Condition[] } }).status ?? {};
  const present = conditions.filter(({ type }) => types.includes(type));
  return (
    present.length === wanted.length &&
    wanted.every((each) => present.some((condition) => contains(condition, each)))
  );
}

function nameTakenError(step: CreateStep, live: Stored<KubeObject>, cause: ApiError): ApiError {
  const { resource, key } = targetOf(step);
  const owner = controllerOf(live);
  const holder =
    owner === undefined ? 'an object without a controller' : `an object of ${owner.kind} ${owner.name}`;
  return new ApiError({
    fate: 'refused',
    code: 409,
    reason: nameTaken,
    attempted: cause.attempted,
    message: hasOurController(step, live)
      ? unlabelled(step, live)
      : `the name ${formatKey(key)} is taken by ${holder}; rename or remove that ${resource.kind}`,
    cause,
  });
}

/** Nothing sees it without the labels, so a person has to put them back. */
function unlabelled(step: CreateStep, live: Stored<KubeObject>): string {
  const { namespace = '', name } = live.metadata;
  const { kind, plural } = step.resource;
  const { labels = {} } = step.object.metadata;
  const lost = lostLabels(step, live).map((label) => `${label}=${labels[label] ?? ''}`);
  return (
    `the ${kind} ${name} is ours, but lacks the label by which it is found, because somebody took it off: ${lost.join(', ')}. ` +
    `Put it back: kubectl label --overwrite ${plural} ${name} -n ${namespace} ${lost.join(' ')}. Or delete the ${kind}: it is made again`
  );
}

function done(
  step: WriteStep,
  updates: readonly CacheUpdate[],
): Extract<Verdict, { readonly result: StepResult }> {
  return { result: { step, did: 'done' }, updates };
}

function failed(step: WriteStep, error: ApiError, updates: readonly CacheUpdate[] = []) {
  const named = nameTemplateFields(step, nameBadQuantities(step, error));
  return { result: { step, did: 'failed', error: named }, updates } as const;
}

function outdated(step: WriteStep, updates: readonly CacheUpdate[]) {
  return { result: { step, did: 'skipped', because: 'plan-outdated' }, updates } as const;
}
