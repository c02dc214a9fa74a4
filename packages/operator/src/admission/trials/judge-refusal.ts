import type { ApiError } from '@atoll/kube';
import { badQuantities } from '../../engine/bad-quantities.ts';
import type { FieldProblem } from '../../engine/problems/field-problem.ts';
import { isPolicyDenial } from '../../engine/problems/policy-denial.ts';

/** What a dry run of a child shows of the template. Fields are the child's. */
export type TrialVerdict =
  | { readonly outcome: 'fine' }
  /** No child of this template will ever be taken. */
  | { readonly outcome: 'invalid'; readonly problems: readonly FieldProblem[] }
  /** The child would be refused now, for a reason that is not the template's alone: a quota, a right, a policy, a webhook. */
  | { readonly outcome: 'refused'; readonly why: string }
  /** The API server gave no verdict. */
  | { readonly outcome: 'unknown'; readonly why: string };

const unknownField = /(unknown|duplicate) field "([^"]+)"/g;
/** `json: cannot unmarshal number into Go struct field Container.spec.template.spec.containers.name of type string` */
const wrongType = /cannot unmarshal (\S+) into Go (?:struct field [^.\s]+\.(\S+)|value) of type (\S+)/;
/** `.spec.template.spec.containers[name="web"].imagee: field not declared in schema`, of a server-side apply. */
const untyped =
  /(\.[A-Za-z][^\s:]*): (field not declared in schema|expected [^\n]+|duplicate entries [^\n]+)/g;
/** What stands before the reason why an object is not of its type: of a create, and of a server-side apply. */
const notOfItsType =
  /^.*(?:cannot be handled as a \S+|unable to convert unstructured object to \S+ Kind=\S+): /s;

/** What the API server's refusal of the dry run of a child means. */
export function judgeRefusal(error: ApiError, child: object): TrialVerdict {
  const message = error.status?.message ?? error.message;
  // The name was looked up after everything else was found good; or the child changed while it was tried.
  if (['AlreadyExists', 'Conflict', 'NotFound', 'NotServed'].includes(error.reason))
    return { outcome: 'fine' };
  if (isPolicyDenial(error)) return { outcome: 'refused', why: message };
  if (error.reason === 'Invalid') return { outcome: 'invalid', problems: causesOf(error, message) };
  if (error.code === 400) {
    const problems = decodingProblems(message, child);
    if (problems.length > 0) return { outcome: 'invalid', problems };
  }
  if (error.code === 403) return { outcome: 'refused', why: message };
  return { outcome: 'unknown', why: message };
}

function causesOf(error: ApiError, message: string): readonly FieldProblem[] {
  const causes = error.status?.details?.causes ?? [];
  const problems = causes.map((cause) => ({ field: cause.field ?? '', message: cause.message ?? message }));
  return problems.length === 0 ? [{ field: '', message }] : problems;
}

function decodingProblems(message: string, child: object): readonly FieldProblem[] {
  const unknown = [...message.matchAll(unknownField)].map(([, what = '', field = '']) => ({
    field,
    message: what === 'unknown' ? 'unknown field' : 'the field is given more than once',
  }));
  if (unknown.length > 0) return unknown;
  const badlyTyped = [...message.matchAll(untyped)].map(([, field = '', what = '']) => ({
    field: field.slice(1),
    message: what,
  }));
  if (badlyTyped.length > 0) return badlyTyped;
  const [, given, field, wanted] = wrongType.exec(message) ?? [];
  if (given !== undefined) return [{ field: field ?? '', message: `is a ${given}, but must be a ${wanted}` }];
  const reason = message.replace(notOfItsType, '');
  if (reason === message) return [];
  const quantities = /quantit/.test(reason) ? badQuantities(child) : [];
  return quantities.length > 0 ? quantities : [{ field: '', message: reason }];
}
