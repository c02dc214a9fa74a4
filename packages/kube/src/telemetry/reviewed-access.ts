import { createHash } from 'node:crypto';
import { isApiError } from '../client/api-error.ts';
import { mayRequest, userOfToken } from '../client/reviews.ts';
import type { StreamingClient } from '../client/streaming-client.ts';
import type { Clock, Instant } from '../clock/clock.ts';
import type { Logger } from './logger.ts';
import type { PageAccess, PageDecision, PageRequest } from './page-access.ts';

/** Milliseconds for which the API server's answer counts. A right that is taken away ends after the first of them. */
const rememberedMs = { allowed: 60_000, refused: 10_000 };

/**
 * Bounds of what strangers can cause: decisions in memory, reviews under way at the API server, and milliseconds for which one that refused keeps its
 * place. Those that were let in before have places of their own, and so have other tokens from their addresses, as tokens are renewed.
 */
const mostRemembered = 1_000;
const mostReviews = 8;
const refusedKeepsMs = 1_000;

/** Milliseconds that the API server has for the two reviews of a request. Prometheus waits 10 s for a page. */
const reviewTimeoutMs = 4_000;

/** What {@link reviewedAccess} needs. */
export interface ReviewedAccessOptions {
  readonly client: Pick<StreamingClient, 'raw'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Remembered {
  readonly decision: Promise<PageDecision>;
  /** Until when it counts; undefined: it is being asked for. */
  until: Instant | undefined;
  /** Whether it was let in when that was decided last. */
  wasLetIn: boolean;
}

/**
 * Lets those see a page whose bearer token the API server accepts (TokenReview) and whom its authorizer allows the verb on the
 * path (SubjectAccessReview), as controller-runtime does for `/metrics`. Decisions are remembered for a while, under a hash of the token.
 */
export function reviewedAccess(options: ReviewedAccessOptions): PageAccess {
  const { clock, client, logger } = options;
  const remembered = new Map<string, Remembered>();
  /** From which tokens were let in and none was refused since; the oldest first. */
  const addresses = new Set<string>();
  const reviews = { ofStrangers: 0, ofAddresses: 0, ofKnown: 0 };

  const ask = async (
    token: string,
    request: PageRequest,
    of: keyof typeof reviews,
  ): Promise<PageDecision> => {
    reviews[of] += 1;
    let isRefused = false;
    try {
      const decision = await review(client, token, request);
      isRefused = !decision.allowed;
      return decision;
    } catch (error) {
      logger.warn({ err: error, path: request.path }, 'access to a page cannot be reviewed');
      return { allowed: false, code: 503, message: unanswered(error) };
    } finally {
      if (isRefused) clock.setTimer(refusedKeepsMs, () => (reviews[of] -= 1));
      else reviews[of] -= 1;
    }
  };

  return async (request) => {
    const token = /^Bearer +([^\s]+)$/i.exec(request.authorization ?? '')?.[1];
    if (token === undefined) return withoutToken(request);
    const key = `${hashOf(token)} ${request.verb} ${request.path}`;
    const now = clock.monotonic();
    const known = remembered.get(key);
    if (known !== undefined && (known.until === undefined || now < known.until)) return known.decision;
    const wasLetIn = known?.wasLetIn === true;
    const { address = '' } = request;
    const of = wasLetIn ? 'ofKnown' : addresses.has(address) ? 'ofAddresses' : 'ofStrangers';
    if (reviews[of] >= mostReviews) return tooMany;
    remembered.delete(key);
    const entry: Remembered = { decision: ask(token, request, of), until: undefined, wasLetIn };
    remembered.set(key, entry);
    forgetOldest(remembered);
    const decision = await entry.decision;
    // Without an answer nothing is known, so the next request asks again.
    if (!decision.allowed && decision.code === 503) {
      entry.until = now;
      if (!wasLetIn && remembered.get(key) === entry) remembered.delete(key);
    } else {
      entry.wasLetIn = decision.allowed;
      addresses.delete(address);
      if (decision.allowed && address !== '') rememberAddress(addresses, address);
      entry.until = clock.monotonic() + (decision.allowed ? rememberedMs.allowed : rememberedMs.refused);
    }
    return decision;
  };
}

async function review(
  client: ReviewedAccessOptions['client'],
  token: string,
  { verb, path }: PageRequest,
): Promise<PageDecision> {
  const signal = AbortSignal.timeout(reviewTimeoutMs);
  const user = await userOfToken(client, token, { signal });
  if (user === undefined) {
    return {
      allowed: false,
      code: 401,
      message: `The API server does not accept this token for ${path}: it has expired, belongs to another cluster, or its account is gone. Send a new one as "Authorization: Bearer <token>".`,
    };
  }
  const name = user.username ?? '';
  const { allowed, reason } = await mayRequest(client, user, { path, verb }, { signal });
  if (allowed) return { allowed: true, user: name };
  return {
    allowed: false,
    code: 403,
    message: `User ${JSON.stringify(name)} may not ${verb} ${path}${reason ? ` (${reason})` : ''}: bind it to a ClusterRole with the verb ${JSON.stringify(verb)} on nonResourceURLs [${JSON.stringify(path)}].`,
  };
}

function withoutToken({ path }: PageRequest): PageDecision {
  return {
    allowed: false,
    code: 401,
    message: `${path} is shown to users of the cluster only: send "Authorization: Bearer <token>" with the token of an account that may get it (kubectl create token <serviceaccount>).`,
  };
}

const tooMany: PageDecision = {
  allowed: false,
  code: 503,
  message: `More than ${mostReviews} tokens are being reviewed, or were refused just now: try again in some seconds.`,
};

function unanswered(error: unknown): string {
  if (isApiError(error, 'Forbidden'))
    return 'This process may not review tokens: allow its account to create tokenreviews.authentication.k8s.io and subjectaccessreviews.authorization.k8s.io.';
  return 'The API server does not answer whether this token may see the page: try again when it does.';
}

/** Those first that were not let in: strangers are as many as they like. */
function forgetOldest(remembered: Map<string, Remembered>): void {
  for (const letIn of [false, true])
    for (const [key, { wasLetIn }] of remembered) {
      if (remembered.size <= mostRemembered) return;
      if (wasLetIn === letIn) remembered.delete(key);
    }
}

function rememberAddress(addresses: Set<string>, address: string): void {
  addresses.add(address);
  const [oldest] = addresses;
  if (addresses.size > mostRemembered && oldest !== undefined) addresses.delete(oldest);
}

/** Tokens stay in no memory longer than their request. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
