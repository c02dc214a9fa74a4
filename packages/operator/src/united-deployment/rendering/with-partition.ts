import { fieldsOf, type Fields } from '@atoll/kube';
import type { ChildKind } from '../subsets/child-kind.ts';

/**
 * The spec of a child with its partition where each kind has it (`reference/uniteddeployment.md` 3.15). With `OnDelete`
 * a person decides what is updated, so there is nothing to hold back. A Deployment has none.
 */
export function withPartition(kind: ChildKind, spec: Fields, partition: number): Fields {
  const given = fieldsOf(spec['updateStrategy']);
  const { type } = given;
  switch (kind) {
    case 'Deployment':
      return spec;
    case 'CloneSet':
      return { ...spec, updateStrategy: { ...flattened(given), partition } };
    case 'StatefulSet':
    case 'AdvancedStatefulSet': {
      if (type !== undefined && type !== '' && type !== 'RollingUpdate') return spec;
      const rollingUpdate = { ...fieldsOf(given['rollingUpdate']), partition };
      const named = kind === 'StatefulSet' ? { type: 'RollingUpdate' } : {};
      return { ...spec, updateStrategy: { ...given, ...named, rollingUpdate } };
    }
  }
}

/**
 * A strategy in the shape of CloneSet v1alpha1, which we write. Kruise's unreleased versions take templates in the shape
 * of v1beta1, where the fields stand under `rollingUpdate` and the type is `podUpdatePolicy`.
 */
function flattened(given: Fields): Fields {
  if (given['rollingUpdate'] === undefined) return given;
  const { rollingUpdate, type, ...rest } = given;
  const { podUpdatePolicy, ...rolling } = fieldsOf(rollingUpdate);
  const named = type === 'OnDelete' ? type : podUpdatePolicy;
  return { ...rest, ...rolling, ...(named === undefined ? {} : { type: named }) };
}
