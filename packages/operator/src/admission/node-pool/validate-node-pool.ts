import { isIsolationLabel, isReservedLabel, type NodePool } from '@atoll/api';
import { labelValueProblems, qualifiedNameProblems } from '@atoll/kube';
import { bytesGiven, maxAnnotationBytes, tooLongByPool } from '../../node-pool/nodes/annotation-size.ts';
import { attributesOf } from '../../node-pool/nodes/attributes.ts';

const reserved =
  'says what a node is, so nodes that have it keep their own value: set it on the nodes themselves';

const isolates =
  'keeps workloads apart, and a kubelet that moves its node into the pool gets it: set it on the nodes themselves, and take it out of the pool';

/**
 * Warnings about a pool that no node can follow. The schema refuses all of this in what is new or changed; what an
 * object has kept from before the schema is warned of here, with every write.
 */
export function nodePoolWarnings({ metadata, spec = {} }: NodePool): readonly string[] {
  const warnings: string[] = [];
  const warn = (field: string, value: string, problems: readonly string[]): void => {
    for (const problem of problems) warnings.push(`${field}: ${JSON.stringify(value)} ${problem}`);
  };
  warn(
    'metadata.name',
    metadata.name,
    labelValueProblems(metadata.name).map((problem) => `${problem}, so no node can be in this pool`),
  );
  for (const [key, value] of Object.entries(spec.labels ?? {})) {
    warn('spec.labels', key, qualifiedNameProblems(key));
    if (isReservedLabel(key)) warn('spec.labels', key, [reserved]);
    if (isIsolationLabel(key)) warn('spec.labels', key, [isolates]);
    warn(`spec.labels[${key}]`, value, labelValueProblems(value));
  }
  for (const key of Object.keys(spec.annotations ?? {})) {
    warn('spec.annotations', key, qualifiedNameProblems(key.toLowerCase()));
  }
  for (const [index, { key, value = '' }] of (spec.taints ?? []).entries()) {
    warn(`spec.taints[${index}].key`, key, qualifiedNameProblems(key));
    warn(`spec.taints[${index}].value`, value, labelValueProblems(value));
  }
  const bytes = bytesGiven(attributesOf({ metadata, spec }));
  if (bytes > maxAnnotationBytes) warnings.push(`${tooLongByPool(bytes)}, so no node can be written`);
  return warnings;
}
