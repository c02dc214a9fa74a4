import { ApiError, type ApiStatus } from '@atoll/kube';

/** What the API server answered, without what was attempted. */
export function answerIn({ status, problem }: ApiError): string {
  return status?.message ?? problem;
}

/** The same error with another message, for people. `status`: what the API server answered, where that is changed too. */
export function inOtherWords(
  error: ApiError,
  message: string,
  status: ApiStatus | undefined = error.status,
): ApiError {
  const { fate, code, reason, attempted, retryAfterMs } = error;
  return new ApiError({ fate, code, reason, attempted, status, retryAfterMs, message, cause: error });
}
