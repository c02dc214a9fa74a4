import type { ApiError } from '@atoll/kube';
import { badQuantities } from '../../bad-quantities.ts';
import { toTemplateField } from '../../problems/template-field.ts';
import type { Step } from '../../step.ts';
import { inOtherWords } from './in-other-words.ts';

/** `unknown field "spec.replica"`, and of a server-side apply `.spec.replica: field not declared in schema`. */
const unreadable = /field "([^"]+)"|(\.[A-Za-z][^\s:]*): /g;
/** A place adds to these, so an entry may be the template's or its own. */
const addedByPlaces = /^\.?spec\.template\.spec\.(tolerations|affinity|nodeSelector)\b/;
/** A key of a list is part of a field, however long somebody made it. A regular expression of some 100,000 characters is refused. */
const longest = 1_000;

/** The same error with the fields as they stand in the object that the plan is for, where the API server refused a child for its fields. */
export function nameTemplateFields(step: Step, error: ApiError): ApiError {
  if (step.do !== 'create' && step.do !== 'apply' && step.do !== 'try') return error;
  const { template, object } = step;
  if (template === undefined) return error;
  const fields = fieldsOf(error, object).filter(
    (field) => field !== '' && field.length <= longest && !addedByPlaces.test(field),
  );
  if (fields.length === 0) return error;
  // A field ends with a colon or a quotation mark: `spec.template` does not stand in `spec.template.spec.x:`.
  const found = new RegExp(`(?<![\\w.\\]])(?:${fields.map(literally).join('|')})(?=[:"])`, 'g');
  const named = (text: string): string => text.replace(found, (field) => toTemplateField(field, template));
  const { status } = error;
  const { message } = status ?? {};
  return inOtherWords(
    error,
    named(error.problem),
    message === undefined ? status : { ...status, message: named(message) },
  );
}

/** The fields of the child that are named. */
function fieldsOf({ code, reason, message, status }: ApiError, child: object): readonly string[] {
  if (reason === 'Invalid') return status?.details?.causes?.flatMap(({ field }) => field ?? []) ?? [];
  if (code !== 400) return [];
  const read = [...message.matchAll(unreadable)].map(([, quoted, applied]) => quoted ?? applied ?? '');
  return [...read, ...badQuantities(child).map(({ field }) => field)];
}

function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
