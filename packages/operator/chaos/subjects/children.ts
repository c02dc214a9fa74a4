import {
  deployments,
  statefulSets,
  type Deployment,
  type KubeObject,
  type StatefulSet,
  type StreamingClient,
} from '@atoll/kube';
import { imageOf, namespace } from './subject.ts';

/** Kinds of children, with the field of a workload's template that asks for them. */
const kinds = [
  { resource: deployments, field: 'deploymentTemplate' },
  { resource: statefulSets, field: 'statefulSetTemplate' },
] as const;

type Field = (typeof kinds)[number]['field'];
type Kind = (typeof kinds)[number]['resource']['kind'];

/** The part of a workload that says of which kind its children are, and how they look. */
export type ChildTemplate = Readonly<
  Partial<Record<Field, { readonly spec?: { readonly template: unknown } }>>
>;

/** Every second object has StatefulSets for children. */
export function fieldOf(index: number): Field {
  return index % 2 === 0 ? 'deploymentTemplate' : 'statefulSetTemplate';
}

/**
 * The template of the children of the object of this number. Pods of StatefulSets have lasting names and so no grace period, as those of
 * ExtendedDaemonSets.
 */
export function childTemplate(app: string, index: number, more: { readonly replicas?: number } = {}): object {
  const field = fieldOf(index);
  const isOrdered = field === 'statefulSetTemplate';
  const labels = { app };
  const containers = [{ name: 'web', image: 'web:0' }];
  const podSpec = { ...(isOrdered ? { terminationGracePeriodSeconds: 0 } : {}), containers };
  const spec = {
    ...more,
    ...(isOrdered ? { serviceName: app } : {}),
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: podSpec },
  };
  return { [field]: { metadata: { labels }, spec } };
}

/** What replaces the image of the children of the object of this number; `at`: where the workload has its template. */
export function imageChange(at: string, index: number, image: string) {
  const path = `${at}/${fieldOf(index)}/spec/template/spec/containers/0/image`;
  return [{ op: 'replace', path, value: image }] as const;
}

export interface WantedChildren {
  readonly kind: Kind;
  readonly image: string | undefined;
}

/** What a workload asks of its children. */
export function wantedChildren(template: ChildTemplate | undefined): WantedChildren {
  const { field, resource } = kinds.find(({ field: each }) => template?.[each] !== undefined) ?? kinds[0];
  return { kind: resource.kind, image: imageOf(template?.[field]?.spec?.template) };
}

/** A Deployment or StatefulSet that is not being deleted. */
export interface Child extends KubeObject {
  readonly kind: Kind;
  readonly spec?: Deployment['spec'] | StatefulSet['spec'];
}

/** All Deployments and StatefulSets of the run that are not being deleted. */
export async function liveChildren(client: StreamingClient): Promise<readonly Child[]> {
  const [ofDeployments, ofStatefulSets] = await Promise.all([
    client.list(deployments, { namespace }),
    client.list(statefulSets, { namespace }),
  ]);
  const children: readonly Child[] = [
    ...ofDeployments.items.map((child) => ({ ...child, kind: 'Deployment' as const })),
    ...ofStatefulSets.items.map((child) => ({ ...child, kind: 'StatefulSet' as const })),
  ];
  return children.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Yields the children that are not as their workload asks for them, a line for each thing that is wrong. */
export function otherThanWanted(
  name: string,
  children: readonly Child[],
  { kind, image }: WantedChildren,
): readonly string[] {
  const others = children.filter((child) => child.kind !== kind);
  const old = children.filter(({ spec }) => imageOf(spec?.template) !== image);
  return [
    ...(others.length > 0 ? [`${name}: ${others.length} children are no ${kind}s`] : []),
    ...(old.length > 0 ? [`${name}: ${old.length} children without ${image}`] : []),
  ];
}
