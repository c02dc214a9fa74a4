import { isFields, type Fields } from '@atoll/kube';
import { defaultPullPolicy } from './default-pull-policy.ts';

/*
 * What the API server does not keep, or fills in, and what was taken for a difference when the hashes and names that are
 * remembered were first made. It is left out where templates are compared, and not where they are hashed: another hash of a
 * template that is rolled out would write every child of it anew.
 */

/** Numbers of a probe that the API server does not keep, or fills in, where they are 0. */
const numbersOfProbes = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];
const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'];

export function leanContainer(value: unknown): unknown {
  if (!isFields(value)) return value;
  const result: Record<string, unknown> = { ...value };
  for (const name of probes) {
    if (isFields(result[name])) result[name] = withoutZeros(result[name], numbersOfProbes);
  }
  if (Array.isArray(result['ports'])) {
    result['ports'] = result['ports'].map((each) =>
      isFields(each) ? withoutZeros(each, ['hostPort']) : each,
    );
  }
  if (Array.isArray(result['env'])) result['env'] = result['env'].map(leanVariable);
  return result;
}

function leanVariable(value: unknown): unknown {
  if (!isFields(value) || !isFields(value['valueFrom'])) return value;
  const { valueFrom } = value;
  const { fileKeyRef } = valueFrom;
  if (!isFields(fileKeyRef) || fileKeyRef['optional'] !== false) return value;
  const { optional: _, ...rest } = fileKeyRef;
  return { ...value, valueFrom: { ...valueFrom, fileKeyRef: rest } };
}

export function leanVolume(value: unknown): unknown {
  if (!isFields(value)) return value;
  const { image, ephemeral } = value;
  return {
    ...value,
    ...(isFields(image) ? { image: leanImage(image) } : {}),
    ...(isFields(ephemeral) ? { ephemeral: leanClaim(ephemeral) } : {}),
  };
}

function leanImage({ pullPolicy, ...rest }: Fields): Fields {
  return pullPolicy === defaultPullPolicy(rest['reference']) ? rest : { ...rest, pullPolicy };
}

function leanClaim(value: Fields): Fields {
  const { volumeClaimTemplate: claim } = value;
  return isFields(claim) ? { ...value, volumeClaimTemplate: withoutVolumeMode(claim) } : value;
}

/** A claim that every pod of a StatefulSet gets: the API server fills in its type and its status, and so do webhooks of old operators. */
export function leanClaimOfPods(claim: unknown): unknown {
  if (!isFields(claim)) return claim;
  const { apiVersion: _, kind: __, status: ___, metadata, ...rest } = withoutVolumeMode(claim);
  return isFields(metadata) ? { ...rest, metadata: { ...metadata, creationTimestamp: undefined } } : rest;
}

function withoutVolumeMode(claim: Fields): Fields {
  if (!isFields(claim['spec']) || claim['spec']['volumeMode'] !== 'Filesystem') return claim;
  const { volumeMode: _, ...spec } = claim['spec'];
  return { ...claim, spec };
}

function withoutZeros(value: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(value).filter(([name, each]) => each !== 0 || !names.includes(name)),
  );
}
