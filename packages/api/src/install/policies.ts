import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@atoll/kube';
import { annotations, componentName, labels, openYurtGroup } from '../names.ts';
import { nodePools } from '../node-pool.ts';

const name = 'nodepools-with-members.atoll.dev';
const ownLabels = { 'app.kubernetes.io/name': componentName, [labels.managedBy]: componentName };

/**
 * Refuses to delete a pool that has members. A policy sees the pool only, so it believes the pool's status: the
 * controller keeps it, at most about a second behind the nodes. A pool that lost its last node a moment ago is refused
 * until the status says so (trying again helps); a node that joins at the very moment of the deletion is cleaned up
 * by the controller, as every node whose pool has vanished. The annotation is the way out when no operator runs.
 */
export const poolDeletionPolicy: ValidatingAdmissionPolicy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name, labels: ownLabels },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [openYurtGroup],
          apiVersions: ['*'],
          resources: [nodePools.plural],
          operations: ['DELETE'],
        },
      ],
    },
    matchConditions: [
      {
        name: 'deletion-not-allowed-by-annotation',
        expression: `oldObject.metadata.?annotations[?'${annotations.allowDeletion}'].orValue('') != 'true'`,
      },
    ],
    variables: [
      { name: 'nodes', expression: 'oldObject.?status.?nodes.orValue([])' },
      {
        name: 'counted',
        expression:
          'oldObject.?status.?readyNodeNum.orValue(0) + oldObject.?status.?unreadyNodeNum.orValue(0)',
      },
      {
        name: 'members',
        expression: 'size(variables.nodes) > variables.counted ? size(variables.nodes) : variables.counted',
      },
    ],
    validations: [
      {
        expression: 'variables.members == 0',
        message: 'a NodePool that has nodes must not be deleted',
        messageExpression:
          `'NodePool ' + oldObject.metadata.name + ' has ' + string(variables.members) + ` +
          `(variables.members == 1 ? ' node' : ' nodes') + ` +
          `(size(variables.nodes) > 0 ? ' (' + variables.nodes[0] + (size(variables.nodes) > 1 ? ', …' : '') + ')' : '') + ` +
          `': take the label ${labels.nodePool} off its nodes first, or, where no operator keeps the status, ` +
          `annotate the pool with ${annotations.allowDeletion}=true'`,
        reason: 'Forbidden',
      },
    ],
  },
};

export const poolDeletionPolicyBinding: ValidatingAdmissionPolicyBinding = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name, labels: ownLabels },
  spec: { policyName: name, validationActions: ['Deny'] },
};
