import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  type ExtendedDaemonSet,
} from '@atoll/api';
import { asLabelValue, controllerOf, daemonSets, formatKey } from '@atoll/kube';
import type { DaemonSet, OptionalReader, OwnerReference, Pod, Reader, Stored } from '@atoll/kube';
import { ownedBy } from '../../children/ownership/owned-by.ts';
import { isTerminating } from '../../children/child.ts';

/** A DaemonSet whose pods an object is to replace (`extendeddaemonset.datadoghq.com/old-daemonset`). */
export interface OldDaemonSet {
  readonly object: Stored<DaemonSet>;
  /** False while its pods are being read. */
  readonly podsKnown: boolean;
  /** Its pods that do not carry the label of the object yet: when it is gone, nothing else shows whose they were. */
  readonly unlabelled: readonly Stored<Pod>[];
  /** The older object that names it too, and is the one to replace it: two would label its pods in turn without end. */
  readonly leftTo?: string;
}

/** undefined: the object replaces none, or it is gone. */
export function oldDaemonSetOf(
  { metadata }: Stored<ExtendedDaemonSet>,
  objects: Reader<ExtendedDaemonSet>,
  daemonSetReader: Reader<DaemonSet>,
  pods: OptionalReader<Pod>,
): OldDaemonSet | undefined {
  const { namespace = '', name } = metadata;
  const old = oldName({ metadata });
  const object = old === undefined ? undefined : daemonSetReader.get({ namespace, name: old });
  if (object === undefined) return undefined;
  const podsKnown = pods.served && pods.synced;
  const [first] = replacing(objects, object.metadata)
    .filter((each) => !isTerminating(each) && isOlder(each.metadata, metadata))
    .sort((a, b) => (isOlder(a.metadata, b.metadata) ? -1 : 1));
  if (first !== undefined) return { object, podsKnown, unlabelled: [], leftTo: first.metadata.name };
  return {
    object,
    podsKnown,
    unlabelled: ownedBy(pods, object).filter(
      (pod) => pod.metadata.labels?.[labels.name] !== asLabelValue(name) && !isTerminating(pod),
    ),
  };
}

/** Whether the pod is the object's to replace: nobody owns it, or the DaemonSet that the object names does. */
export function isReplaced(pod: Stored<Pod>, object: Stored<ExtendedDaemonSet>): boolean {
  const owner = controllerOf(pod);
  return owner === undefined || (isDaemonSet(owner) && owner.name === oldName(object));
}

export function isDaemonSet({ apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>): boolean {
  return kind === daemonSets.kind && apiVersion === 'apps/v1';
}

/** Whether pods of DaemonSets are to be read at all: an object is there, and the DaemonSet that it replaces. */
export function replacesDaemonSet(
  objects: Reader<ExtendedDaemonSet>,
  daemonSetReader: Reader<DaemonSet>,
): boolean {
  return objects.list().some((object) => {
    const name = oldName(object);
    const { namespace = '' } = object.metadata;
    return name !== undefined && daemonSetReader.get({ namespace, name }) !== undefined;
  });
}

/** The keys of the objects that replace the DaemonSet of this namespace and name. */
export function keysOfReplacing(
  objects: Reader<ExtendedDaemonSet>,
  daemonSet: { readonly namespace?: string; readonly name: string },
): readonly string[] {
  return replacing(objects, daemonSet).map(({ metadata }) => formatKey(metadata));
}

function replacing(
  objects: Reader<ExtendedDaemonSet>,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
): readonly Stored<ExtendedDaemonSet>[] {
  return objects.list().filter((each) => each.metadata.namespace === namespace && oldName(each) === name);
}

type Metadata = Stored<ExtendedDaemonSet>['metadata'];

function isOlder(a: Metadata, b: Metadata): boolean {
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp;
  return a.uid < b.uid;
}

/** undefined: the object is to replace none. */
export function oldName({ metadata }: Pick<ExtendedDaemonSet, 'metadata'>): string | undefined {
  const name = metadata?.annotations?.[annotations.oldDaemonSet];
  return name === '' ? undefined : name;
}
