import { annotations, labels, type PoolWorkload } from '@atoll/api';
import { isFields, type Taint, type Toleration } from '@atoll/kube';
import { childAnnotations } from '../../children/child-annotations.ts';
import type { PodTemplate, RenderedChild } from '../../children/child.ts';
import { workloadLabel } from '../../children/names.ts';
import { ownerReference, type ChildOwner } from '../../children/ownership/owner.ts';
import type { Revision } from '../../children/revisions/revision.ts';
import { childSelector } from '../../places/adoption/orphans.ts';
import type { ChildKind } from '../child.ts';
import { withPoolTolerations } from './pool-tolerations.ts';

export type Owner = ChildOwner<PoolWorkload>;

/** What one pool's child is made of. Revision and allocation are apart, so that a child on an older template still scales. */
export interface RenderInput {
  readonly owner: Owner;
  readonly pool: { readonly name: string; readonly taints: readonly Taint[] };
  readonly name: string;
  readonly revision: Revision<ChildKind>;
  /** undefined: is left to the one who scales the child, and is never written. */
  readonly replicas: number | undefined;
  readonly knownToOldOperator: KnownToOldOperator;
  /** In which the revision is that the child was written for last. */
  readonly history: readonly Revision<ChildKind>[];
}

/** What of the spec is as the old operator saw it last: where a child is otherwise, the old operator left it so. */
export interface KnownToOldOperator {
  readonly template: boolean;
  readonly replicas: boolean;
}

/** The fields of a pod's spec that decide where it may run. Templates are not typed. */
interface PodPlacement {
  readonly nodeSelector?: unknown;
  readonly tolerations?: readonly Toleration[];
}

/** The pod template as the user gives it. */
export function givenPods({ revision }: RenderInput): PodTemplate {
  return podsGivenBy(revision);
}

export function podsGivenBy({ template }: Revision<ChildKind>): PodTemplate {
  return (template.spec['template'] ?? {}) as PodTemplate;
}

/** A child as its pool and revision want it, before what depends on the child that is there (see `finish-child.ts`). */
export function renderChild(input: RenderInput): RenderedChild {
  const { owner, pool, name, revision, replicas } = input;
  const { template } = revision;
  const { selector } = owner.object.spec;
  const { namespace = '' } = owner.object.metadata;
  const poolName = { [labels.poolName]: pool.name };
  return {
    apiVersion: 'apps/v1',
    kind: template.kind,
    metadata: {
      name,
      namespace,
      labels: {
        ...template.labels,
        ...selector.matchLabels,
        ...poolName,
        [labels.controllerRevisionHash]: revision.label,
        [labels.workload]: workloadLabel(owner.object.metadata.name),
      },
      annotations: { ...childAnnotations(template), [annotations.refNodePool]: pool.name },
      ownerReferences: [ownerReference(owner)],
    },
    spec: {
      ...template.spec,
      ...(replicas === undefined ? {} : { replicas }),
      selector: childSelector(owner.object, labels.poolName, pool.name),
      template: renderPods(givenPods(input), pool),
    },
  };
}

/**
 * The pool's selector term joins the template's own nodeSelector and affinity: a pod must satisfy all of them, so none
 * is touched. On the one key that both may name the pool wins. A nodeSelector that is no map stays as it is, and the API
 * server refuses the child with the field's path.
 */
function renderPods(template: PodTemplate, pool: RenderInput['pool']): PodTemplate {
  const spec = (template.spec ?? {}) as PodPlacement;
  const nodeSelector = spec.nodeSelector ?? {};
  const tolerations = withPoolTolerations(spec.tolerations ?? [], pool.taints);
  return {
    ...template,
    metadata: {
      ...template.metadata,
      labels: { ...template.metadata?.labels, [labels.poolName]: pool.name },
    },
    spec: {
      ...spec,
      nodeSelector: isFields(nodeSelector) ? { ...nodeSelector, [labels.nodePool]: pool.name } : nodeSelector,
      ...(tolerations.length === 0 ? {} : { tolerations }),
    },
  };
}
