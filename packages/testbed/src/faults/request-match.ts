import { writeVerbs } from './proxied-request.ts';
import type { ProxiedRequest, Verb } from './proxied-request.ts';

/** Which requests a fault takes. Whatever is left out matches everything. */
export interface RequestMatch {
  readonly verb?: Verb | 'write' | readonly Verb[];
  /** `pods`, `deployments.apps`. */
  readonly resource?: string | readonly string[];
  /** Resources that it leaves alone: leases and events, when the nth write is to be one that matters. */
  readonly except?: readonly string[];
  /** `status`; the empty string means the resource itself. */
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly where?: (request: ProxiedRequest) => boolean;
  /** Takes the nth request that fits the rest, counted from 1 since the fault was injected, and no other. */
  readonly nth?: number;
  /** Takes so many requests (from the nth on, where given), then none. Default: all; with `nth`: one. */
  readonly times?: number;
}

/** Everything of a match but its counts. */
export function fits(match: RequestMatch, request: ProxiedRequest): boolean {
  return (
    fitsVerb(match.verb, request.verb) &&
    (match.resource === undefined || [match.resource].flat().includes(request.resource)) &&
    !(match.except?.includes(request.resource) ?? false) &&
    (match.subresource === undefined || match.subresource === (request.subresource ?? '')) &&
    (match.namespace === undefined || match.namespace === request.namespace) &&
    (match.name === undefined || match.name === request.name) &&
    (match.where === undefined || match.where(request))
  );
}

function fitsVerb(wanted: RequestMatch['verb'], verb: Verb): boolean {
  if (wanted === undefined) return true;
  if (wanted === 'write') return writeVerbs.includes(verb);
  return [wanted].flat().includes(verb);
}

/** Does the match take the `count`th request (from 1) that {@link fits}? */
export function takes(match: RequestMatch, count: number): boolean {
  const first = match.nth ?? 1;
  const times = match.times ?? (match.nth === undefined ? Infinity : 1);
  return count >= first && count < first + times;
}
