import { ApiError, groupResourceOf } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import type { Plan } from '../plan.ts';
import type { StepResult } from '../step.ts';
import type { ExecutionCommand, InDoubt, Live } from './commands.ts';
import type { Facts } from './facts.ts';
import { seenLive } from './answers/judge.ts';
import { targetOf } from './requests/request.ts';
import type { Answer, WriteStep } from './requests/request.ts';
import type { ExecutionRules, LiveCheck } from './rules.ts';

/** A step that is under way, and what it waits for. */
export interface OpenStep {
  readonly index: number;
  readonly step: WriteStep;
  readonly waitsFor: Waiting;
}

type Waiting =
  | { readonly for: 'place' }
  /** The live read of the check with this index. */
  | { readonly for: 'check'; readonly check: number }
  | { readonly for: 'answer' }
  /** A live read, because the answer was lost or the name is taken. */
  | { readonly for: 'live'; readonly error: ApiError }
  /** A live read, because the cache is behind the object. */
  | { readonly for: 'read-back'; readonly result: StepResult };

/** Where an event leads: the step goes on, or it is over, with a write that is in doubt or without. */
export interface Advanced {
  readonly commands: readonly ExecutionCommand[];
  readonly next: { readonly waitsFor: Waiting } | { readonly result: StepResult; readonly inDoubt?: InDoubt };
}

/** Directly before the send: leadership and guard are asked, after any wait for a place. */
export function placed(open: OpenStep, plan: Plan, facts: Facts, rules: ExecutionRules): Advanced {
  return obstacle(open, plan, facts, rules) ?? afterChecks(open, 0, plan, facts, rules);
}

/** The answer to the step's own request. */
export function answered({ index, step }: OpenStep, answer: Answer, rules: ExecutionRules): Advanced {
  const verdict = rules.judge(step, answer);
  const { resource, key } = targetOf(step);
  const read = { command: 'read', of: index, resource, key } as const;
  if (!('result' in verdict)) {
    return { commands: [read], next: { waitsFor: { for: 'live', error: verdict.error } } };
  }
  const result = verdict.result;
  const updates = cacheOf(rules.cached(verdict.updates));
  if (!rules.readsBack(verdict)) return { commands: updates, next: { result } };
  return { commands: [...updates, read], next: { waitsFor: { for: 'read-back', result } } };
}

/** A live read for the step: of something that it depends on, or of its own object. */
export function readLive(
  open: OpenStep,
  read: Live,
  plan: Plan,
  facts: Facts,
  rules: ExecutionRules,
): Advanced {
  const { step, waitsFor } = open;
  switch (waitsFor.for) {
    case 'check':
      return checked(open, waitsFor.check, read, plan, facts, rules);
    case 'read-back': {
      const { resource, key } = targetOf(step);
      const uid = 'uid' in step ? step.uid : undefined;
      const updates = 'error' in read ? [] : seenLive(resource, key, uid, read.live);
      return { commands: cacheOf(rules.cached(updates)), next: { result: waitsFor.result } };
    }
    case 'live': {
      const { error } = waitsFor;
      if ('error' in read) {
        return { commands: [], next: { result: { step, did: 'failed', error }, inDoubt: { step, error } } };
      }
      const { result, updates } = rules.judgeLive(step, error, read.live);
      return { commands: cacheOf(rules.cached(updates)), next: { result } };
    }
    case 'place':
    case 'answer':
      throw new Error(`a step that waits for its ${waitsFor.for} was read for`);
  }
}

function checked(
  open: OpenStep,
  index: number,
  read: Live,
  plan: Plan,
  facts: Facts,
  rules: ExecutionRules,
): Advanced {
  const { step } = open;
  const check = rules.checksBeforeStep(step, plan)[index];
  if ('error' in read) {
    const error = nothingSent(read.error, check);
    return { commands: [], next: { result: { step, did: 'failed', error } } };
  }
  const updates = check === undefined ? [] : cacheOf(rules.cached(cacheUpdatesOf(check, read)));
  if (check?.holds(read.live) === false) {
    return { commands: updates, next: { result: { step, did: 'skipped', because: 'plan-outdated' } } };
  }
  const after = afterChecks(open, index + 1, plan, facts, rules);
  return { ...after, commands: [...updates, ...after.commands] };
}

/** The error of a step before which a live read failed: what the API server answered was the answer to the read, not to the step. */
export function nothingSent(read: ApiError, check: Pick<LiveCheck, 'resource'> | undefined): ApiError {
  const { code, reason, message, retryAfterMs } = read;
  const isServed = reason !== 'NotServed' || check === undefined;
  return new ApiError({
    fate: 'unsent',
    code,
    reason,
    message: isServed ? message : notServed(check.resource),
    attempted: 'nothing was sent',
    retryAfterMs,
    cause: read,
  });
}

/** The API server itself answers no more than that there is no such page. */
function notServed(resource: Resource<KubeObject>): string {
  return `the API server does not serve ${groupResourceOf(resource)}: the definition of this name was deleted, or is not served yet`;
}

function afterChecks(
  open: OpenStep,
  from: number,
  plan: Plan,
  facts: Facts,
  rules: ExecutionRules,
): Advanced {
  const { index, step } = open;
  const check = rules.checksBeforeStep(step, plan)[from];
  if (check !== undefined) {
    const { resource, key } = check;
    const commands = [{ command: 'read', of: index, resource, key }] as const;
    return { commands, next: { waitsFor: { for: 'check', check: from } } };
  }
  // Leadership may have ended while the answers were awaited.
  const late = from === 0 ? undefined : obstacle(open, plan, facts, rules);
  return late ?? { commands: [{ command: 'send', of: index, step }], next: { waitsFor: { for: 'answer' } } };
}

function obstacle({ step }: OpenStep, plan: Plan, facts: Facts, rules: ExecutionRules): Advanced | undefined {
  const because =
    rules.mayNotWrite(facts) ?? (rules.isOutdated(step, plan, facts) ? 'plan-outdated' : undefined);
  return because === undefined
    ? undefined
    : { commands: [], next: { result: { step, did: 'skipped', because } } };
}

/** What a live read shows of the object of a check. */
export function cacheUpdatesOf(
  { resource, key, uid }: LiveCheck,
  { live }: Extract<Live, { readonly live: unknown }>,
): ReturnType<typeof seenLive> {
  return seenLive(resource, key, uid, live);
}

/** The command that brings it into the caches, where there is anything. */
export function cacheOf(updates: ReturnType<typeof seenLive>): readonly ExecutionCommand[] {
  return updates.length === 0 ? [] : [{ command: 'cache', updates }];
}
