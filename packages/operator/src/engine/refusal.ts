import type { ApiError } from '@atoll/kube';

/** How the API server (1.36) refuses an apply with an unknown field: as its own failure, 500, which it is not. */
const unknownField = 'failed to create typed patch object';

export function namesUnknownField(error: ApiError): boolean {
  return error.message.includes(unknownField);
}

/** Whether the API server said no to what was asked, as opposed to: nothing, later, or that it is in trouble itself. */
export function isRefusal(error: ApiError): boolean {
  return namesUnknownField(error) || (error.fate === 'refused' && error.code !== 429);
}
