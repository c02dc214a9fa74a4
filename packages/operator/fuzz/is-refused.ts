import { isApiError, type ApiError } from '@atoll/kube';

/**
 * Whether the API server refused an object, in whatever words. A server that is gone refuses nothing. What is larger than etcd takes is
 * answered with 500.
 */
export function isRefused(error: unknown): error is ApiError {
  if (!isApiError(error)) return false;
  return (error.code >= 400 && error.code < 500) || error.message.includes('message larger than max');
}
