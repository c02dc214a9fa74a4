import { hash } from 'node:crypto';
import { nodeResourcesAnnotation } from '@atoll/api';
import type { ResourceRequirements } from '@atoll/kube';
import { readResources, type WrittenResources } from './read-resources.ts';
import { resourceProblem } from './resource-problem.ts';

/** What annotations of a node ask for the resources of one object's containers. */
export interface NodeResources {
  /** By the name of the container. */
  readonly resources: ReadonlyMap<string, ResourceRequirements>;
  /** Annotations that cannot be read, each with what is wrong. */
  readonly problems: readonly string[];
  /** Annotations that name no container of the template. */
  readonly unknown: readonly UnknownContainer[];
  /** As the old operator writes it on pods; undefined: the node has none. */
  readonly nodeHash: string | undefined;
}

/** An annotation of a node that changes no pod. */
export interface UnknownContainer {
  readonly annotation: string;
  readonly container: string;
}

const nothing: NodeResources = { resources: new Map(), problems: [], unknown: [], nodeHash: undefined };

/** How the names of the annotations begin that are for an object. */
export function nodeResourcesPrefixOf(object: {
  readonly namespace?: string;
  readonly name: string;
}): string {
  return nodeResourcesAnnotation(object.namespace ?? '', object.name, '');
}

/**
 * Reads `resources.extendeddaemonset.datadoghq.com/<namespace>.<name>.<container>` annotations. What follows the object's name must be
 * one of its containers: `foo.bar` is not the business of `foo`.
 */
export function nodeResources(
  annotations: Readonly<Record<string, string>> | undefined,
  object: { readonly namespace?: string; readonly name: string },
  containers: readonly string[],
): NodeResources {
  if (annotations === undefined) return nothing;
  const own = nodeResourcesPrefixOf(object);
  const named = Object.keys(annotations).filter((key) => key.startsWith(own));
  if (named.length === 0) return nothing;
  const found = named.filter((key) => containers.includes(key.slice(own.length))).sort();
  const resources = new Map<string, ResourceRequirements>();
  const problems: string[] = [];
  for (const key of found) {
    const read = readAnnotation(annotations[key] ?? '');
    if (typeof read === 'string') problems.push(`the annotation ${key} ${read}`);
    else resources.set(key.slice(own.length), read);
  }
  const rests = named
    .toSorted()
    .map((annotation) => ({ annotation, container: annotation.slice(own.length) }));
  // With a dot it is of another object, whose name begins so.
  const unknown = rests.filter(
    ({ container }) => !containers.includes(container) && !container.includes('.'),
  );
  // The old operator hashes all that begin so, the business of others included.
  return {
    resources,
    problems,
    unknown,
    nodeHash: nodeHashOf(named.map((key) => `${key}=${annotations[key] ?? ''}`)),
  };
}

/** The old operator's hash: MD5 over the sorted `key=value` texts, one after the other. */
export function nodeHashOf(pairs: readonly string[]): string {
  return hash('md5', [...pairs].sort().join(''), 'hex');
}

/** What is wrong, where it cannot be read. */
function readAnnotation(text: string): ResourceRequirements | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'is no JSON. Use the form {"requests":{"cpu":"2"}}';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'is no object. Use the form {"requests":{"cpu":"2"}}';
  }
  const problem = resourceProblem(value as WrittenResources);
  if (problem !== undefined) return `cannot be used: ${problem}`;
  return readResources(value as WrittenResources);
}
