import type { Informer } from './informer.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import { definitionName, isServedBy } from '../objects/serving-definition.ts';
import type { CustomResourceDefinition, Namespace } from '../types/index.ts';

/**
 * Whether objects are to be followed now. `since` names the reason: with another one, all is read anew. `unknown`: this is
 * not known yet.
 */
export type FollowAnswer = 'unknown' | 'no' | { readonly since: string };

/** When objects of a resource are followed that need not be followed all the time. */
export interface FollowRule {
  now(): FollowAnswer;
  /** Called when the answer may have changed. Returns how to stop. */
  subscribe(listener: () => void): () => void;
}

/** What a rule asks another informer. */
export type Followed<T extends KubeObject> = Pick<Informer<T>, 'cache' | 'subscribe' | 'synced'>;

/** While the CustomResourceDefinition of the resource is established; another definition is another kind, whatever its name. */
export function whileServed(
  definitions: Followed<CustomResourceDefinition>,
  resource: Resource<KubeObject>,
): FollowRule {
  return {
    now: () => {
      if (!definitions.cache.synced) return 'unknown';
      const definition = definitions.cache.get({ name: definitionName(resource) });
      return definition !== undefined && isServedBy(definition, resource)
        ? { since: definition.metadata.uid }
        : 'no';
    },
    subscribe: (listener) => subscribeTo([definitions], listener),
  };
}

/** While others' content asks for it. */
export function whileAskedFor(others: readonly Followed<KubeObject>[], isAsked: () => boolean): FollowRule {
  return {
    now: () => {
      if (others.some(({ cache }) => !cache.synced)) return 'unknown';
      return isAsked() ? { since: 'asked for' } : 'no';
    },
    subscribe: (listener) => subscribeTo(others, listener),
  };
}

/**
 * While a namespace is there and is not being deleted; one that is made anew is another, whatever its name. While it is being
 * deleted nothing can be created in it any more, and its roles may be gone before its objects.
 */
export function whileNamespaceIsThere(namespaces: Followed<Namespace>, name: string): FollowRule {
  return {
    now: () => {
      if (!namespaces.cache.synced) return 'unknown';
      const metadata = namespaces.cache.get({ name })?.metadata;
      return metadata === undefined || metadata.deletionTimestamp !== undefined
        ? 'no'
        : { since: metadata.uid };
    },
    subscribe: (listener) => subscribeTo([namespaces], listener),
  };
}

/** While all of these rules agree. */
export function whileAll(rules: readonly FollowRule[]): FollowRule {
  return {
    now: () => {
      const reasons: string[] = [];
      let unknown = false;
      for (const rule of rules) {
        const answer = rule.now();
        if (answer === 'no') return 'no';
        if (answer === 'unknown') unknown = true;
        else reasons.push(answer.since);
      }
      return unknown ? 'unknown' : { since: reasons.join(' ') };
    },
    subscribe: (listener) => {
      const stops = rules.map((rule) => rule.subscribe(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

function subscribeTo<T extends KubeObject>(
  informers: readonly Followed<T>[],
  listener: () => void,
): () => void {
  const stops = informers.map((informer) => informer.subscribe(() => listener()));
  // An informer without content notifies nobody.
  for (const { synced } of informers) synced.then(listener, () => undefined);
  return () => {
    for (const stop of stops) stop();
  };
}
