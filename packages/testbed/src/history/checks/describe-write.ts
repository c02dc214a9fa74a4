import type { Write } from '../history.ts';

/** `12:00:01.500 operator delete deployments.apps edge/web → 200`. */
export function describeWrite({ audit }: Write): string {
  const time = new Date(audit.at).toISOString().slice(11, 23);
  const resource =
    audit.subresource === undefined ? audit.resource : `${audit.resource}/${audit.subresource}`;
  return `${time} ${audit.user} ${audit.verb} ${resource} ${objectOf(audit)} → ${audit.code}`;
}

/** `namespace/name`, as far as the request names them. */
export function objectOf({ namespace, name }: Write['audit']): string {
  return [namespace, name].filter((part) => part !== undefined).join('/');
}
