import type { ChildWorkload } from './child.ts';

/** How many pods a Deployment or a CloneSet may miss while it rolls, as it is written; undefined: it is left out. */
export function maxUnavailableIn(kind: string, spec: ChildWorkload['spec']): number | string | undefined {
  const { strategy, updateStrategy } = spec ?? {};
  return (kind === 'Deployment' ? strategy?.rollingUpdate : updateStrategy)?.maxUnavailable;
}

/** What their controllers take where it is left out: a Deployment's API server fills it in, Kruise's webhook may be gone. */
const defaults: Readonly<Record<string, string>> = { Deployment: '25%', CloneSet: '20%' };

/** The same, with the default of the kind where it is left out; undefined: the kind has none. */
export function effectiveMaxUnavailable(
  kind: string,
  spec: ChildWorkload['spec'],
): number | string | undefined {
  return maxUnavailableIn(kind, spec) ?? defaults[kind];
}
