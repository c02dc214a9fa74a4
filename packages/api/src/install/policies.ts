import { nodes } from '@atoll/kube';
import { annotations, labels, openYurtGroup } from '../names.ts';
import { nodePools } from '../node-pool.ts';
import { matchConstraints } from './match-constraints.ts';
import { policy, policyBinding } from './policy.ts';

const name = 'nodepools-with-members.atoll.dev';

/**
 * Refuses to delete a pool that has members. The API server evaluates it once for each node that names a pool, as its own
 * node informer holds them: so the answer is as fresh as that informer, some milliseconds, needs no operator, and does not
 * wait for a status (docs/decisions/0015). A node that asks to leave by the older label is no member any more.
 */
export const poolDeletionPolicy = policy(name, {
  failurePolicy: 'Fail',
  paramKind: { apiVersion: 'v1', kind: nodes.kind },
  matchConstraints: matchConstraints([
    {
      apiGroups: [openYurtGroup],
      apiVersions: ['*'],
      resources: [nodePools.plural],
      operations: ['DELETE'],
    },
  ]),
  // Here and not below, because a node that does not match costs a third of one that is validated.
  matchConditions: [
    {
      name: 'node-is-in-the-pool',
      expression: `params.metadata.?labels[?'${labels.nodePool}'].orValue('') == oldObject.metadata.name`,
    },
    {
      name: 'node-does-not-ask-to-leave',
      expression:
        `params.metadata.?labels[?'${labels.desiredNodePool}'].orValue('') != '' || ` +
        `params.metadata.?annotations[?'${annotations.followedPool}'].orValue('') != oldObject.metadata.name`,
    },
    {
      name: 'deletion-not-allowed-by-annotation',
      expression: `oldObject.metadata.?annotations[?'${annotations.allowDeletion}'].orValue('') != 'true'`,
    },
  ],
  validations: [
    {
      expression: 'false',
      message: 'a NodePool that has nodes must not be deleted',
      messageExpression:
        `'NodePool ' + oldObject.metadata.name + ' has nodes, ' + params.metadata.name + ' for one: ` +
        `take the label ${labels.nodePool} off its nodes first, or, to delete it all the same, ` +
        `annotate the pool with ${annotations.allowDeletion}=true'`,
      reason: 'Forbidden',
    },
  ],
});

export const poolDeletionPolicyBinding = policyBinding(poolDeletionPolicy, 'Deny', {
  paramRef: {
    selector: { matchExpressions: [{ key: labels.nodePool, operator: 'Exists' }] },
    parameterNotFoundAction: 'Allow',
  },
});
