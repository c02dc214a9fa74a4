import { writesOf } from '../history.ts';
import { describeWrite } from './describe-write.ts';
import { concernsWrite } from './count-writes.ts';
import type { Check } from './violation.ts';

/** Who is to write nothing, from when on, and what is to stay as it is. */
export interface SilenceRule {
  readonly user: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Resources on which nothing may change, no matter who changes it. Default: all that are recorded. */
  readonly resources?: readonly string[];
  /** Resources that do not count: leases and events, mostly. */
  readonly except?: readonly string[];
}

/** Since then the user has written nothing, and nothing has changed. */
export function silentSince({ user, since, resources, except = [] }: SilenceRule): Check {
  const rule = 'silence';
  return (history) => {
    const writes = writesOf(history)
      .filter((write) => concernsWrite({ user, except, since }, write))
      .map((write) => ({ rule, message: describeWrite(write) }));
    const changes = history.events
      .filter(({ initial, at }) => !initial && at >= since)
      .filter(({ resource }) => resources?.includes(resource) ?? true)
      .filter(({ resource }) => !except.includes(resource))
      .map(({ type, resource, name, version }) => ({
        rule,
        message: `${resource} ${name} ${type} at version ${version}`,
      }));
    return [...writes, ...changes];
  };
}
