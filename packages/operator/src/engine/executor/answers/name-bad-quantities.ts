import type { ApiError } from '@atoll/kube';
import { badQuantities } from '../../bad-quantities.ts';
import type { Step } from '../../step.ts';
import { inOtherWords } from './in-other-words.ts';

/** The same error with the field and the value, where the API server refused a quantity of the child: it names neither. */
export function nameBadQuantities(step: Step, error: ApiError): ApiError {
  const isOfQuantity = error.code === 400 && /quantit/.test(error.message);
  if (!isOfQuantity || (step.do !== 'create' && step.do !== 'apply')) return error;
  const found = badQuantities(step.object).map(({ field, message }) => `${field}: ${message}`);
  if (found.length === 0) return error;
  return inOtherWords(error, found.join('; '));
}
