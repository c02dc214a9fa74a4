import { isFields, type Fields } from '../values/fields.ts';
import type { ApiStatus } from './api-error.ts';

/** The Status in an answer. Something between us and the API server may write one of its own: what has another type than ours is left out. */
export function readStatus(answer: Fields): ApiStatus {
  const { code, status, reason, message, details } = answer;
  return {
    kind: 'Status',
    ...(typeof code === 'number' ? { code } : {}),
    ...(typeof status === 'string' ? { status } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(isFields(details) ? { details: readDetails(details) } : {}),
  };
}

function readDetails({ causes, ...details }: Fields): NonNullable<ApiStatus['details']> {
  return Array.isArray(causes) ? { ...details, causes: causes.filter(isFields) } : details;
}
