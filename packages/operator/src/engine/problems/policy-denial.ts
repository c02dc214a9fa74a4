import type { ApiError } from '@atoll/kube';

/**
 * `deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: …`, and
 * `policy 'p' with binding 'b' denied request: …` of a MutatingAdmissionPolicy. Where the policy itself cannot be evaluated, no
 * binding is named. Only from the beginning: other messages quote values of the object, and those are anybody's text.
 */
const denial =
  /^(?:\S+(?: "(?:[^"\\]|\\.)*")? is forbidden: ValidatingAdmissionPolicy '[^']*'|policy (?:'[^']*'|"[^"]*"))(?: with binding '[^']*')? denied request: /;

/**
 * An admission policy refused the request. The reason is Invalid where a validation names none, and where a mutation fails, as if the
 * object were wrong for good, but a policy can be changed or lifted.
 */
export function isPolicyDenial(error: ApiError): boolean {
  return denial.test(error.status?.message ?? error.problem);
}
