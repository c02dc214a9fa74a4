import type { ProxiedRequest } from './proxied-request.ts';
import { fits } from './request-match.ts';
import type { RequestMatch } from './request-match.ts';
import type { WatchHold } from './watch-hold.ts';

/** How the API server answers `sendInitialEvents` where it does not offer streaming lists; clients then list. */
const refusedInitialEvents = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message:
    'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
  reason: 'Invalid',
  code: 422,
};

/** The same list as it was at `resourceVersion`; later pages keep their token, which carries the version. */
function listAsOf(request: ProxiedRequest, resourceVersion: string): string {
  if (request.query.has('continue')) return request.target;
  const query = new URLSearchParams(request.query);
  query.set('resourceVersion', resourceVersion);
  query.set('resourceVersionMatch', 'Exact');
  return `${request.path}?${query.toString()}`;
}

/** A start in the past that is at work: what it holds is released, cut or expired like any hold. */
export class StaleStart {
  /** The watches that are held until the start is allowed to catch up. */
  readonly watches: WatchHold;
  readonly #match: RequestMatch;
  readonly #resourceVersion: string;
  readonly #remove: () => void;
  #listsAnswered = 0;

  constructor(match: RequestMatch, resourceVersion: string, watches: WatchHold, remove: () => void) {
    this.watches = watches;
    this.#match = match;
    this.#resourceVersion = resourceVersion;
    this.#remove = remove;
  }

  /** How many lists (pages count each) were answered with the past. */
  get listsAnswered(): number {
    return this.#listsAnswered;
  }

  /** What becomes of the request; undefined where it is none of a start. */
  offer(request: ProxiedRequest): { readonly answer: object } | { readonly target: string } | undefined {
    if (!fits(this.#match, request)) return undefined;
    if (request.verb === 'watch' && request.query.get('sendInitialEvents') === 'true') {
      return { answer: refusedInitialEvents };
    }
    if (request.verb !== 'list') return undefined;
    this.#listsAnswered += 1;
    return { target: listAsOf(request, this.#resourceVersion) };
  }

  /** Later starts read the present again, and the held watches catch up at once. */
  release(): void {
    this.#remove();
    this.watches.release();
  }
}
