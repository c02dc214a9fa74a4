import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { apiVersionOf, stableHash, type Stored } from '@atoll/kube';
import { ownerReference } from '../../children/ownership/owner.ts';
import { controlAnnotations } from '../control-annotations.ts';
import { sameTemplate, templateMeaning } from './template-meaning.ts';

/** What an object says about itself, and not about its template. */
const notInherited: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  annotations.canaryPausedReason,
  ...controlAnnotations,
]);

/** Room for a hash within the 63 characters of a label value, which the name becomes. */
const nameRoom = 52;

/**
 * The replica set of the object's template. Its name follows from object and template, so that no two processes make two (F7), unless one of
 * the others has it, whose template somebody edited. The label with the object's name is the last word: a label of the object's own cannot
 * replace it.
 */
export function renderReplicaSet(
  object: Stored<ExtendedDaemonSet>,
  others: readonly Stored<ExtendedDaemonSetReplicaSet>[] = [],
): ExtendedDaemonSetReplicaSet {
  const { name, namespace = '', labels: own, annotations: found = {} } = object.metadata;
  const { selector, template } = object.spec;
  const hash = stableHash(templateMeaning(template), 32);
  const inherited = Object.entries(found).filter(([key]) => !notInherited.has(key));
  return {
    apiVersion: apiVersionOf(extendedDaemonSetReplicaSets),
    kind: extendedDaemonSetReplicaSets.kind,
    metadata: {
      name: freeName(object, hash, others),
      namespace,
      labels: { ...own, [labels.name]: name },
      annotations: { ...Object.fromEntries(inherited), [annotations.templateHash]: hash },
      ownerReferences: [ownerReference({ resource: extendedDaemonSets, object })],
    },
    spec: {
      ...(selector === undefined ? {} : { selector }),
      template: withoutName(template),
      templateGeneration: hash,
    },
  };
}

function freeName(
  { metadata: { name, uid }, spec: { template } }: Stored<ExtendedDaemonSet>,
  hash: string,
  others: readonly Stored<ExtendedDaemonSetReplicaSet>[],
): string {
  const begins = name.slice(0, nameRoom).replace(/[.-]+$/, '');
  const edited = new Set(
    others.filter(({ spec }) => !sameTemplate(spec.template, template)).map((each) => each.metadata.name),
  );
  for (let attempt = 0; ; attempt += 1) {
    const free = `${begins}-${stableHash(attempt === 0 ? [uid, hash] : [uid, hash, attempt])}`;
    if (!edited.has(free)) return free;
  }
}

function withoutName(template: ExtendedDaemonSet['spec']['template']): typeof template {
  if (template.metadata?.name === undefined) return template;
  const { name: _, ...metadata } = template.metadata;
  return { ...template, metadata };
}
