import type { ApiError } from '@atoll/kube';

const denial = /ValidatingAdmissionPolicy '[^']*' with binding '[^']*' denied request/;

/**
 * A ValidatingAdmissionPolicy refused the request. Its answer is 422 Invalid where the validation names no `reason`, as if
 * the object were wrong for good, but a policy can be changed or lifted.
 */
export function isPolicyDenial(error: ApiError): boolean {
  return denial.test(error.status?.message ?? error.message);
}
