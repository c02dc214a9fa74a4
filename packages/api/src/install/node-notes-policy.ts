import { labels, nodeNotes } from '../names.ts';
import { matchConstraints } from './match-constraints.ts';
import { policy, policyBinding } from './policy.ts';

const noteOf = (object: string, key: string): string =>
  `${object}.metadata.?annotations[?'${key}'].orValue('')`;
const changed = nodeNotes
  .map((key) => `${noteOf('object', key)} != (oldObject == null ? '' : ${noteOf('oldObject', key)})`)
  .join(' || ');

/**
 * Refuses a kubelet to write what Atoll notes on its node. Whoever writes the record of what a pool put there decides which labels and taints
 * Atoll takes off the node, and a kubelet may change neither taints nor labels of node-restriction.kubernetes.io itself (NodeRestriction).
 */
export const nodeNotesPolicy = policy('node-notes.atoll.dev', {
  // Whatever comes, a kubelet must be able to report its node.
  failurePolicy: 'Ignore',
  matchConstraints: matchConstraints([
    {
      apiGroups: [''],
      apiVersions: ['*'],
      resources: ['nodes', 'nodes/status'],
      operations: ['CREATE', 'UPDATE'],
    },
  ]),
  matchConditions: [
    {
      name: 'by-a-kubelet',
      expression: `request.userInfo.?groups.orValue([]).exists(each, each == 'system:nodes')`,
    },
    { name: 'changes-a-note', expression: changed },
  ],
  validations: [
    {
      expression: 'false',
      message: `a kubelet must not change what Atoll notes on its node: ${nodeNotes.join(', ')}. The pool of a node is its label ${labels.nodePool}`,
      reason: 'Forbidden',
    },
  ],
});

export const nodeNotesPolicyBinding = policyBinding(nodeNotesPolicy);
