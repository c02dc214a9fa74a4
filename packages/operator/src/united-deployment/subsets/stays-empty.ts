import type { SubsetDecision } from '../decision.ts';

/** Its controller notes this with the first ReplicaSet. */
const revisionOfDeployment = 'deployment.kubernetes.io/revision';

/**
 * Whether the subset is to have pods and gets none: a Deployment that is paused before its first ReplicaSet was made makes none, however many it is
 * to have. One that is paused later still scales.
 */
export function staysEmpty({ child, revision, replicas }: SubsetDecision): boolean {
  const kind = child?.kind ?? revision?.template.kind;
  const isPaused = [child?.object.spec, revision?.template.spec].some((spec) => spec?.['paused'] === true);
  if (replicas === 0 || kind !== 'Deployment' || !isPaused) return false;
  if (child === undefined) return true;
  const { metadata, status } = child.object;
  return metadata.annotations?.[revisionOfDeployment] === undefined && (status?.replicas ?? 0) === 0;
}
