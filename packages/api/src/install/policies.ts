import type { KubeObject, Resource } from '@atoll/kube';
import { annotations, componentName, labels, openYurtGroup } from '../names.ts';
import { nodePools } from '../node-pool.ts';

/** `admissionregistration.k8s.io/v1` ValidatingAdmissionPolicy, as we write it. */
export interface ValidatingAdmissionPolicy extends KubeObject {
  readonly spec: {
    readonly failurePolicy: 'Fail' | 'Ignore';
    readonly matchConstraints: {
      readonly resourceRules: readonly {
        readonly apiGroups: readonly string[];
        readonly apiVersions: readonly string[];
        readonly resources: readonly string[];
        readonly operations: readonly string[];
      }[];
    };
    readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
    readonly variables?: readonly { readonly name: string; readonly expression: string }[];
    readonly validations: readonly {
      readonly expression: string;
      readonly message?: string;
      readonly messageExpression?: string;
      readonly reason?: string;
    }[];
  };
}

export interface ValidatingAdmissionPolicyBinding extends KubeObject {
  readonly spec: {
    readonly policyName: string;
    readonly validationActions: readonly ('Deny' | 'Warn' | 'Audit')[];
  };
}

export const validatingAdmissionPolicies: Resource<ValidatingAdmissionPolicy> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
};

export const validatingAdmissionPolicyBindings: Resource<ValidatingAdmissionPolicyBinding> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  namespaced: false,
};

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
