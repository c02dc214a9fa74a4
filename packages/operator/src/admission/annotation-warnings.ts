import type { KubeObject } from '@atoll/kube';
import type { ExplainedAnnotation } from './kind-webhooks.ts';

/** An annotation that only `true` switches on. */
export function onByTrue(name: string): ExplainedAnnotation {
  return { name, values: ['true', 'false'], otherwise: 'false' };
}

/** Values that mean something else than their author thinks, where the request brings them. */
export function annotationWarnings(
  known: readonly ExplainedAnnotation[],
  { metadata }: KubeObject,
  old: KubeObject | undefined,
): readonly string[] {
  return known.flatMap(({ name, values, otherwise }) => {
    const given = metadata.annotations?.[name] ?? '';
    const isOld = given === old?.metadata.annotations?.[name];
    if (given === '' || isOld || values.includes(given)) return [];
    return [
      `the annotation ${name} is ${JSON.stringify(given)}, which counts as ${otherwise}: it can be ${values.join(' or ')}`,
    ];
  });
}
