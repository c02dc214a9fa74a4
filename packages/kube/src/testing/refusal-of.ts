import { ApiError } from '../client/api-error.ts';
import { reasonOfCode } from '../transport/failure.ts';

/** That the API server refused a request, with the reason that it gives with this code. */
export function refusalOf(code: number, attempted: string, message: string): ApiError {
  return new ApiError({ fate: 'refused', code, reason: reasonOfCode(code), attempted, message });
}
