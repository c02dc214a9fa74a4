import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@atoll/kube';

/** Puts a policy into force in the whole cluster; it is called as the policy. `Warn`: what is wrong is taken, with a warning. */
export function policyBinding(
  { metadata }: Pick<ValidatingAdmissionPolicy, 'metadata'>,
  action: 'Deny' | 'Warn' = 'Deny',
): ValidatingAdmissionPolicyBinding {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata,
    spec: { policyName: metadata.name, validationActions: [action] },
  };
}
