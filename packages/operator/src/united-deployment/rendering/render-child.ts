import { annotations, labels } from '@atoll/api';
import { apiVersionOf, canonicalJson, semanticallyEqual } from '@atoll/kube';
import { childAnnotations } from '../../children/child-annotations.ts';
import type { PodTemplate, RenderedChild } from '../../children/child.ts';
import { workloadLabel } from '../../children/names.ts';
import { ownerReference } from '../../children/ownership/owner.ts';
import type { Revision } from '../../children/revisions/revision.ts';
import { childSelector } from '../../places/adoption/orphans.ts';
import { kindFacts, type ChildKind } from '../subsets/child-kind.ts';
import type { Owner, DesiredSubset } from '../observe.ts';
import { withPartition } from './with-partition.ts';
import { withMaxUnavailable } from './with-max-unavailable.ts';

/** What one subset's child is made of. Revision and allocation are apart, so that a child on an older template still scales. */
export interface RenderInput {
  readonly owner: Owner;
  readonly subset: DesiredSubset;
  readonly name: string;
  readonly revision: Revision<ChildKind>;
  readonly replicas: number;
  readonly partition: number;
  /** Where pods that wait for room must not hold up a rollout; undefined: as in the template. */
  readonly maxUnavailable: number | undefined;
  /** The text that the child carries of its patch, if any: kept as long as it means the same. */
  readonly patchText: string | undefined;
  /** The template of the history that the child was made of is known to ask for other ordinals. */
  readonly asksForOtherOrdinals: boolean;
  /** What is noted on it of a number that stays as Kruise left it; undefined: it does not. */
  readonly keptNumber: string | undefined;
}

/** A child as its subset and revision want it, before what depends on the child that is there (see `finish-child.ts`). */
export function renderChild(input: RenderInput, pods: PodTemplate): RenderedChild {
  const { owner, subset, name, revision, replicas, partition, maxUnavailable, keptNumber } = input;
  const { template } = revision;
  const { kind, resource } = { kind: template.kind, resource: kindFacts[template.kind].resource };
  const { namespace = '', name: ownerName } = owner.object.metadata;
  const subsetLabel = { [labels.subsetName]: subset.name };
  const spec = withMaxUnavailable(kind, withPartition(kind, template.spec, partition), maxUnavailable);
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      name,
      namespace,
      labels: {
        ...template.labels,
        ...owner.object.spec.selector.matchLabels,
        ...subsetLabel,
        [labels.subsetRevision]: revision.label,
        [labels.workload]: workloadLabel(ownerName),
      },
      annotations: {
        ...childAnnotations(template),
        [annotations.subsetPatch]: patchText(input),
        ...(keptNumber === undefined ? {} : { [annotations.keptNumber]: keptNumber }),
      },
      ownerReferences: [ownerReference(owner)],
    },
    spec: {
      ...spec,
      replicas,
      selector: childSelector(owner.object, labels.subsetName, subset.name),
      template: pods,
    },
  };
}

function patchText({ subset, patchText: present }: RenderInput): string {
  const { patch } = subset.spec;
  if (patch === undefined || patch === null) return '';
  return present !== undefined && meansTheSame(present, patch) ? present : canonicalJson(patch);
}

/** Whether the text that a child carries of its patch is that of this one. */
export function meansTheSame(text: string, patch: object): boolean {
  try {
    return semanticallyEqual(JSON.parse(text), patch);
  } catch {
    return false;
  }
}
