import type { NodeTarget } from '../fleet/nodes/node-targets.ts';

/** Which container of the pod of a node does not start, and the message of its kubelet; undefined: nothing is known. */
export function blockedText({ pods: { kept }, blocked, target, matches }: NodeTarget): string | undefined {
  if (!matches || kept === undefined || blocked === undefined) return undefined;
  const { container, reason, message } = blocked;
  const reported = message === undefined ? '' : `: ${message}`;
  return `pod ${kept.metadata.name} of node ${target.id}, container ${container}, ${reason}${reported}`;
}
