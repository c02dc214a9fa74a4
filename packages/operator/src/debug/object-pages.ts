import {
  formatKey,
  type Clock,
  type GuardedPage,
  type KubeObject,
  type ObjectKey,
  type PageAnswer,
  type Resource,
} from '@atoll/kube';
import type { Controller } from '../engine/controller.ts';
import type { RefusedTrials } from '../engine/refused-trials.ts';
import { readableJson } from './readable-json.ts';

/** What the page needs to know. */
export interface ObjectPagesOptions {
  readonly controllers: readonly Controller<never, never>[];
  readonly isLeader: () => boolean;
  /** What the API server refused when it was tried: plans keep what it would replace. Always nothing where this process does not lead. */
  readonly refusedTrials: (work: { readonly controller: string; readonly key: string }) => RefusedTrials;
  readonly clock: Clock;
}

const path = '/debug/objects/';

/**
 * Shows what each controller of a kind makes of an object now: the snapshot that it sees, the plan that it would carry out, and why
 * things wait. Computed anew from the caches and what is remembered of trials, as at the beginning of a reconcile, and never carried out.
 */
export function objectPages(options: ObjectPagesOptions): readonly GuardedPage[] {
  return [{ method: 'GET', path, answer: (rest) => explain(options, rest) }];
}

function explain(options: ObjectPagesOptions, rest: readonly string[]): PageAnswer {
  const { controllers, isLeader, clock } = options;
  const [kind = '', ...names] = rest;
  const ofKind = controllers.filter(({ resource }) => isCalled(resource, kind.toLowerCase()));
  const [first] = ofKind;
  if (first === undefined) {
    const kinds = [...new Set(controllers.map(({ resource }) => resource.plural))];
    return notFound(`No controller works on ${JSON.stringify(kind)} here: ask for ${kinds.join(', ')}.`);
  }
  const { namespaced, plural } = first.resource;
  if (names.length !== (namespaced ? 2 : 1) || names.includes(''))
    return notFound(`Ask for ${path}${plural}/${namespaced ? '<namespace>/' : ''}<name>.`);
  const [name = '', namespace] = names.toReversed();
  const key: ObjectKey = namespace === undefined ? { name } : { namespace, name };
  const views = ofKind.flatMap((controller) => viewOf(controller, key, options) ?? []);
  if (views.length === 0) return notFound(`The cache has no ${plural} ${formatKey(key)}.`);
  const body = readableJson({ at: new Date(clock.now()).toISOString(), leads: isLeader(), key, views });
  return { code: 200, body, contentType: 'application/json' };
}

/** A snapshot goes back only to the controller that made it, so its type does not matter here. */
function viewOf(
  controller: Controller<never, never>,
  key: ObjectKey,
  { refusedTrials, clock }: ObjectPagesOptions,
): object | undefined {
  const refused = refusedTrials({ controller: controller.name, key: formatKey(key) });
  const snapshot = controller.observe(key, refused);
  if (snapshot === undefined) return undefined;
  const now = clock.now();
  const decision = controller.decide(snapshot, now);
  const plan = controller.plan(snapshot, decision, now);
  const { holds, ...steps } = plan;
  return { controller: controller.name, holds, plan: steps, snapshot };
}

function isCalled({ kind, plural, group }: Resource<KubeObject>, asked: string): boolean {
  return [kind.toLowerCase(), plural, `${plural}.${group}`].includes(asked);
}

function notFound(message: string): PageAnswer {
  return { code: 404, body: `${message}\n` };
}
