import { annotations, nodeNotes } from '@atoll/api';
import type { Node, Stored } from '@atoll/kube';
import { hold, joinHolds, type Hold } from '../../engine/hold.ts';
import type { Attributes } from './attributes.ts';
import type { NodeChange } from './reconcile-node.ts';
import { formatRecord } from './record.ts';

/** How many bytes the annotations of an object may have, keys and values together. Source: Kubernetes, `ValidateAnnotationsSize`. */
export const maxAnnotationBytes = 256 * 1024;

type Strings = Readonly<Record<string, string>>;

/** What the annotations of a pool take on each of its nodes: they are there, and in the record of what the pool gives. */
export function bytesGiven(given: Attributes): number {
  const record = { [annotations.previousAttributes]: formatRecord(given) ?? '' };
  return bytesOf({ ...given.annotations, ...record });
}

/** Whether the API server would refuse this change, because the node would have more annotations than an object may have. */
export function isTooLong(node: Stored<Node>, change: NodeChange): boolean {
  return bytesOf(annotationsAfter(node, change)) > maxAnnotationBytes;
}

/** Why these nodes are not written. The same for all of them where the pool alone gives too much. */
export function tooLong(
  given: Attributes,
  nodes: readonly { readonly node: Stored<Node>; readonly change: NodeChange }[],
): readonly Hold[] {
  const byPool = bytesGiven(given);
  if (byPool <= maxAnnotationBytes) {
    return joinHolds(
      nodes.map(({ node, change }) => {
        const after = annotationsAfter(node, change);
        const problem =
          `the node would have ${bytesOf(after)} bytes of annotations, ${byPool} of them by its pool; the API server ` +
          `allows ${maxAnnotationBytes}. Remove some: ${largestOf(after)}`;
        return hold('AnnotationsTooLong', 'person', [node.metadata.name], { problem }, true);
      }),
    );
  }
  const names = nodes.map(({ node }) => node.metadata.name).sort();
  const problem = `${tooLongByPool(byPool)}. Shorten it: ${largestOf(given.annotations)}`;
  return names.length === 0 ? [] : [hold('AnnotationsTooLong', 'person', names, { problem }, true)];
}

/** That a pool gives more than a node can have. */
export function tooLongByPool(bytes: number): string {
  return (
    `spec.annotations takes ${bytes} bytes of each node's annotations, because it is noted there, too; ` +
    `the API server allows ${maxAnnotationBytes}`
  );
}

function largestOf(all: Strings): string {
  const sizes = Object.entries(all)
    .filter(([key]) => !nodeNotes.includes(key))
    .map(([key, value]) => ({ key, bytes: bytesOf({ [key]: value }) }));
  const [largest] = sizes.toSorted((a, b) => b.bytes - a.bytes);
  return largest === undefined ? '' : `the largest is ${largest.key}, of ${largest.bytes} bytes`;
}

function annotationsAfter(node: Stored<Node>, change: NodeChange): Strings {
  const after = { ...node.metadata.annotations, ...change.annotations };
  return Object.fromEntries(
    Object.entries(after).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

function bytesOf(all: Strings): number {
  return Object.entries(all).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
}
