import { isFields, type Fields } from '@atoll/kube';

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

export function withoutUnhashed(value: unknown): unknown {
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
  return result;
}

function withoutZeros(value: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(value).filter(([name, each]) => each !== 0 || !names.includes(name)),
  );
}
