import { isReady, keyOf, nodes } from '@atoll/kube';
import type { KubeObject, Node, ObjectKey, Resource, Stored } from '@atoll/kube';
import { sameJson } from '../same-meaning.ts';
import type { NodeSeen, Seen } from '../step.ts';

/** How an object was seen that a step depends on. */
export function seenAs<T extends KubeObject>(
  resource: Resource<T>,
  key: ObjectKey,
  object: Stored<T> | undefined,
): Seen {
  const { uid, labels = {} } = object?.metadata ?? {};
  return { resource: resource as Resource<KubeObject>, key, uid, labels };
}

/** How an object was seen whose status a step depends on: nobody may have written it since. */
export function seenExactly<T extends KubeObject>(resource: Resource<T>, object: Stored<T>): Seen {
  const { resourceVersion } = object.metadata;
  return { ...seenAs(resource, keyOf(object), object), resourceVersion };
}

/** How an object was seen whose spec a step depends on: nobody may have changed that since. */
export function seenInSpec<T extends KubeObject>(resource: Resource<T>, object: Stored<T>): Seen {
  const { generation } = object.metadata;
  return { ...seenAs(resource, keyOf(object), object), ...(generation === undefined ? {} : { generation }) };
}

/** How a node was seen on whose labels and taints a step depends. */
export function seenAsNode(name: string, node: Stored<Node> | undefined): Seen {
  return { ...seenAs(nodes, { name }, node), taints: node?.spec?.taints ?? [] };
}

/** How a node was seen. `prefix`: of the annotations that decide; undefined: none does. */
export function nodeSeenAs({ metadata, spec }: Stored<Node>, prefix?: string): NodeSeen {
  const { name, labels = {}, annotations = {} } = metadata;
  const seen = { key: { name }, labels, taints: spec?.taints ?? [] };
  if (prefix === undefined) return seen;
  return { ...seen, annotations: { prefix, found: withPrefix(annotations, prefix) } };
}

/** Whether it is still so. */
export function isAsSeen(
  { uid, labels, resourceVersion, generation, taints, annotations, ready }: Seen,
  live: Stored<KubeObject> | undefined,
): boolean {
  if (ready === true && !isReady((live ?? {}) as Partial<Node>)) return false;
  if (taints !== undefined && !sameJson((live as Stored<Node> | undefined)?.spec?.taints ?? [], taints))
    return false;
  if (
    annotations !== undefined &&
    !sameJson(withPrefix(live?.metadata.annotations, annotations.prefix), annotations.found)
  )
    return false;
  if (generation !== undefined && live?.metadata.generation !== generation) return false;
  if (resourceVersion !== undefined && live?.metadata.resourceVersion !== resourceVersion) return false;
  return live?.metadata.uid === uid && sameJson(live?.metadata.labels ?? {}, labels);
}

function withPrefix(
  annotations: Readonly<Record<string, string>> = {},
  prefix: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => name.startsWith(prefix)));
}
