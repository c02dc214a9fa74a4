import type { Stored, KubeObject } from '@atoll/kube';
import type { Finding } from './finding.ts';

/** What was found of workloads that are not healthy, by their uid. */
export interface Findings {
  get(uid: string): Finding | undefined;
}

export const noFindings: Findings = { get: () => undefined };

/** What was found of some workloads, for a snapshot. */
export function findingsOf(
  workloads: readonly { readonly object: Stored<KubeObject> }[],
  findings: Findings,
): Readonly<Record<string, Finding>> {
  const found: Record<string, Finding> = {};
  for (const { object } of workloads) {
    const { uid } = object.metadata;
    const finding = findings.get(uid);
    if (finding !== undefined) found[uid] = finding;
  }
  return found;
}
