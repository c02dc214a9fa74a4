import { ApiError, type ApiStatus, type RequestFate } from '../client/api-error.ts';
import { readStatus } from '../client/read-status.ts';
import { withoutPassword } from '../credentials/without-password.ts';
import { isFields } from '../values/fields.ts';
import type { ExchangeError } from './dispatch.ts';
import type { HttpResponse } from './exchange.ts';
import { serverPause } from './retry-policy.ts';

/** What a request was, as far as judging its failure needs it. */
export interface Attempt {
  /** For people: `create deployments.apps edge/web-hz`. */
  readonly attempted: string;
  /** The request changes nothing on the server. */
  readonly readOnly: boolean;
}

/** The API server, or something before it, answered with a refusal. */
export function refusal(
  attempt: Attempt,
  response: Pick<HttpResponse, 'code' | 'headers' | 'body'>,
): ApiError {
  const text = response.body.toString('utf8');
  const status = parseStatus(text);
  const refused = refusedAs(response.code, status);
  const code = refused?.code ?? response.code;
  const seconds = status?.details?.retryAfterSeconds;
  const retryAfterMs = serverPause(response.headers['retry-after'], seconds, Date.now());
  return new ApiError({
    fate: fateOfRefusal(attempt, code, status),
    code,
    reason: refused?.reason ?? status?.reason ?? (code === 404 ? reasonOfPlain404(text) : reasonOfCode(code)),
    message: status?.message ?? redirectMessage(response) ?? plainMessage(response.code, text),
    attempted: attempt.attempted,
    status,
    retryAfterMs,
  });
}

/** No whole answer came from the API server, which was asked through the proxy. */
export function noAnswer(
  attempt: Attempt,
  origin: string,
  proxyUrl: string | undefined,
  error: ExchangeError,
): ApiError {
  const through = proxyUrl === undefined ? '' : ` through the proxy ${withoutPassword(proxyUrl)}`;
  const where = error.sent
    ? `the connection to ${origin}${through} broke`
    : `cannot reach ${origin}${through}`;
  const isLate = error.fault === 'timeout' && !error.sent;
  return new ApiError({
    fate: error.sent ? 'in-doubt' : 'unsent',
    code: 0,
    reason: error.fault === 'timeout' ? 'Timeout' : error.fault === 'aborted' ? 'Aborted' : 'NetworkError',
    message:
      error.fault === 'network' ? `${where}: ${error.message}` : `${error.message}${isLate ? through : ''}`,
    attempted: attempt.attempted,
    cause: error.cause ?? error,
  });
}

/** A request that could not be prepared: credentials are missing, a limit is reached, the client is closed. */
export function notSent(attempt: Attempt, reason: string, message: string, cause?: unknown): ApiError {
  return new ApiError({ fate: 'unsent', code: 0, reason, message, attempted: attempt.attempted, cause });
}

/**
 * Refusals that come with a code that says something else (kube-apiserver 1.36, etcd 3.6), and the one that fits. Nothing was stored: a
 * server-side apply whose object does not fit its type (in a create a 400); an object that etcd does not take; a webhook or a
 * ValidatingAdmissionPolicy that denies with a code or a reason of its own, which says nothing of the object, of a conflict or of the API server.
 */
function refusedAs(
  code: number,
  { message = '', reason = '' }: Pick<ApiStatus, 'message' | 'reason'> = {},
): { readonly code: number; readonly reason: string } | undefined {
  const isMisleading = code >= 500 || misleadingCodes.has(code) || misleadingReasons.has(reason);
  if (isMisleading && denial.test(message)) return as(403);
  if (code < 500) return undefined;
  if (/^failed to (create typed patch object|convert new object) \(/.test(message)) return as(400);
  if (message.includes('etcdserver: request is too large')) return as(413);
  return undefined;
}

/** Of a webhook; and of a policy, whose reason may be `Unauthorized`. */
const denial = /^admission webhook "[^"]*" denied the request| is forbidden: ValidatingAdmissionPolicy '/;

/** Of a denial: credentials that are not good, an object that is not there, a conflict, a version that is gone, too many requests. */
const misleadingCodes: ReadonlySet<number> = new Set([401, 404, 409, 410, 429]);
const misleadingReasons: ReadonlySet<string> = new Set([
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Expired',
  'Gone',
]);

function as(code: number): { readonly code: number; readonly reason: string } {
  return { code, reason: reasonOfCode(code) };
}

/**
 * A server error does not mean that nothing happened: the API server answers 504 while the handler goes on,
 * 500 when etcd did not confirm in time, and a load balancer's 502 proves nothing at all. Only what is certainly
 * decided before storage counts as refused: every 4xx, and a webhook that could not be asked.
 */
function fateOfRefusal(attempt: Attempt, code: number, status: ApiStatus | undefined): RequestFate {
  if (attempt.readOnly || code < 500) return 'refused';
  return code === 500 && status?.message?.includes('failed calling webhook') === true
    ? 'refused'
    : 'in-doubt';
}

function parseStatus(text: string): ApiStatus | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) && value['kind'] === 'Status' ? readStatus(value) : undefined;
  } catch {
    return undefined;
  }
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The API server redirects no request for objects; what stands before it does, to where people log in. The rest of that address may hold what nobody should read. */
function redirectMessage({ code, headers }: Pick<HttpResponse, 'code' | 'headers'>): string | undefined {
  if (!redirects.has(code)) return undefined;
  const { location = '' } = headers;
  // Those of other schemes have no host.
  const to = /^https?:/i.test(location) && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
  return `the server answered ${code}, a redirect${to}, which is not followed: give the address of the API server itself`;
}

/** What came without a Status: a proxy's page, a rate limiter's line. */
function plainMessage(code: number, text: string): string {
  const line = text.trim().split('\n', 1)[0]?.slice(0, 200).toWellFormed() ?? '';
  return line === '' ? `the server answered ${code}` : `the server answered ${code}: ${line}`;
}

/**
 * A 404 without a Status proves nothing of an object: the API server answers so for a kind that it does not serve (now), and a load
 * balancer or a proxy for whatever it likes.
 */
function reasonOfPlain404(text: string): string {
  return text.trim() === '404 page not found' ? 'NotServed' : 'InvalidAnswer';
}

/** The reasons of `metav1.StatusReason` for answers that carry none. */
export function reasonOfCode(code: number): string {
  switch (code) {
    case 400:
      return 'BadRequest';
    case 401:
      return 'Unauthorized';
    case 403:
      return 'Forbidden';
    case 404:
      return 'NotFound';
    case 405:
      return 'MethodNotAllowed';
    case 406:
      return 'NotAcceptable';
    case 409:
      return 'Conflict';
    case 410:
      return 'Expired';
    case 413:
      return 'RequestEntityTooLarge';
    case 415:
      return 'UnsupportedMediaType';
    case 422:
      return 'Invalid';
    case 429:
      return 'TooManyRequests';
    case 503:
      return 'ServiceUnavailable';
    case 504:
      return 'Timeout';
    default:
      return code >= 500 ? 'InternalError' : 'Unknown';
  }
}
