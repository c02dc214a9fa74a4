import { isApiError, type ApiError } from '@atoll/kube';

/**
 * Whether the API server refused an object, in whatever words. A server that is gone refuses nothing. What is larger than etcd takes is
 * answered with 500, and so is what waited too long for a quota, before anything was stored.
 */
export function isRefused(error: unknown): error is ApiError {
  if (!isApiError(error)) return false;
  return (error.code >= 400 && error.code < 500) || answers500.some((words) => error.message.includes(words));
}

const answers500 = ['message larger than max', 'resource quota evaluation timed out'];
