import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@atoll/kube';
import { ownLabels } from './own-labels.ts';

const apiVersion = 'admissionregistration.k8s.io/v1';

/** A policy of this name, which takes effect where it is bound. */
export function policy(
  name: string,
  spec: NonNullable<ValidatingAdmissionPolicy['spec']>,
  labels: Readonly<Record<string, string>> = ownLabels,
): ValidatingAdmissionPolicy {
  return { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name, labels }, spec };
}

/** Puts a policy into force; it is called as the policy. `Warn`: what is wrong is taken, with a warning. */
export function policyBinding(
  { metadata }: Pick<ValidatingAdmissionPolicy, 'metadata'>,
  action: 'Deny' | 'Warn' = 'Deny',
  more: Omit<NonNullable<ValidatingAdmissionPolicyBinding['spec']>, 'policyName' | 'validationActions'> = {},
): ValidatingAdmissionPolicyBinding {
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata,
    spec: { policyName: metadata.name, ...more, validationActions: [action] },
  };
}
