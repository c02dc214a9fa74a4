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
    ...(isFields(ephemeral) ? { ephemeral: leanEphemeral(ephemeral) } : {}),
  };
}

function leanImage({ pullPolicy, ...rest }: Fields): Fields {
  return pullPolicy === defaultPullPolicy(rest['reference']) ? rest : { ...rest, pullPolicy };
}

function leanEphemeral(value: Fields): Fields {
  const { volumeClaimTemplate } = value;
  return isFields(volumeClaimTemplate)
    ? { ...value, volumeClaimTemplate: leanClaim(volumeClaimTemplate) }
    : value;
}

/** A template of claims: of its status the API server takes no notice. */
export function leanClaim(value: unknown): unknown {
  if (!isFields(value)) return value;
  const { status: _, spec, ...claim } = value;
  if (!isFields(spec) || spec['volumeMode'] !== 'Filesystem') return { ...claim, spec };
  const { volumeMode: _default, ...rest } = spec;
  return { ...claim, spec: rest };
}

function withoutZeros(value: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(value).filter(([name, each]) => each !== 0 || !names.includes(name)),
  );
}
