import { annotations, fieldManagers, oldFieldManagers } from '@atoll/api';
import type { JsonPatchOperation, KubeObject, ManagedFieldsEntry } from '@atoll/kube';

/** How the ownership of a child's fields has to change before, or after, the child itself is written. */
export interface OwnerChange {
  readonly does: 'take-over' | 'release-replicas' | 'claim-filled-in';
  readonly operations: readonly JsonPatchOperation[];
}

const appliedHashPath = `/metadata/annotations/${annotations.appliedHash.replace('/', '~1')}`;

/**
 * What must happen to the owners of a child's fields before it is applied; undefined: nothing.
 *
 * A child that was made by another operator is owned by an Update of that operator's binary. Its entry becomes our
 * Apply, as a whole, so that the next apply takes away what is wanted no longer, and the pods stay as they are.
 *
 * Replicas that we set and are to set no longer would be reset to 1 by an apply that leaves them out; so we cease to
 * own them first, and the one who scales finds them as they were.
 */
export function ownersBeforeApply(live: KubeObject, replicas: number | undefined): OwnerChange | undefined {
  const entries = live.metadata.managedFields ?? [];
  const ours = entries.findIndex(isOurs);
  if (ours === -1) {
    const maker = entries.findIndex(isMaker);
    return maker === -1 ? undefined : { does: 'take-over', operations: becomeOurs(entries, maker, replicas) };
  }
  const release = releaseReplicas(entries, ours, replicas);
  return release.length === 0
    ? undefined
    : { does: 'release-replicas', operations: [...testManager(entries, ours), ...release] };
}

/**
 * What is left of old operators when the child is as it should be. In a fleet that ran two of them one after the other
 * both own fields, and a field goes only with its last owner. The entry takes the place of ours; what was applied
 * counts as unknown, so that the child is applied once more and we own what we wrote again.
 */
export function ownersAfterApply(live: KubeObject, replicas: number | undefined): OwnerChange | undefined {
  const entries = live.metadata.managedFields ?? [];
  const ours = entries.findIndex(isOurs);
  const left = entries.findIndex((entry) => isMaker(entry) || isOldOperators(entry));
  if (ours === -1 || left === -1) return undefined;
  const operations = [
    ...becomeOurs(entries, left, replicas),
    { op: 'remove', path: `/metadata/managedFields/${ours}` } as const,
    { op: 'add', path: appliedHashPath, value: '' } as const,
  ];
  return { does: 'take-over', operations };
}

/**
 * Whether an old operator wrote the child last: we have never applied it, or an old operator has written to it since. What
 * is recorded on it then describes what was before; whose fields are whose is set right only when all else is.
 */
export function isLeftByOldOperator({ metadata }: KubeObject): boolean {
  if (metadata.annotations?.[annotations.appliedHash] === undefined) return true;
  return (metadata.managedFields ?? []).some(isOldOperators);
}

/**
 * The same of a child of this kind. OpenKruise's manager is also the controller of CloneSets and writes `spec.scaleStrategy` of those that we have applied: it
 * wrote one for the object that owns it only where it owns the pods or the replicas, too.
 */
export function isChildLeftByOldOperator(kind: string, object: KubeObject): boolean {
  const { annotations: noted, managedFields = [] } = object.metadata;
  if (kind !== 'CloneSet' || noted?.[annotations.appliedHash] === undefined)
    return isLeftByOldOperator(object);
  return managedFields.filter(isOldOperators).some(({ fieldsV1: { 'f:spec': spec } = {} }) => {
    return spec?.['f:template'] !== undefined || spec?.['f:replicas'] !== undefined;
  });
}

/**
 * Whether somebody else than we, or an operator before us, has set the replicas of a child that we applied: a person who scales it, or an autoscaler. Who changes a
 * field becomes its owner, until we set it again; nobody does who scales to 0, which a Scale leaves out.
 */
export function areReplicasOfOthers({ metadata }: KubeObject): boolean {
  const entries = metadata.managedFields ?? [];
  const owners = entries.filter(({ fieldsV1 }) => fieldsV1?.['f:spec']?.['f:replicas'] !== undefined);
  return (
    entries.some(isOurs) &&
    !owners.some((entry) => entry.manager === fieldManagers.atoll || isMaker(entry) || isOldOperators(entry))
  );
}

/** Whether pods that an old operator or the child's maker wrote have fields of somebody else, too: what these add stays when we apply the child. */
export function havePodsFieldsOfOthers({ metadata }: KubeObject): boolean {
  return (metadata.managedFields ?? []).some(
    (entry) =>
      !isOurs(entry) &&
      !isMaker(entry) &&
      !isOldOperators(entry) &&
      entry.fieldsV1?.['f:spec']?.['f:template'] !== undefined,
  );
}

function becomeOurs(
  entries: readonly ManagedFieldsEntry[],
  index: number,
  replicas: number | undefined,
): readonly JsonPatchOperation[] {
  const path = `/metadata/managedFields/${index}`;
  return [
    ...testManager(entries, index),
    ...releaseReplicas(entries, index, replicas),
    { op: 'replace', path: `${path}/manager`, value: fieldManagers.atoll },
    { op: 'replace', path: `${path}/operation`, value: 'Apply' },
  ];
}

/** The entries have no names, only places; the resourceVersion of the patch makes sure of them, and this shows it. */
export function testManager(
  entries: readonly ManagedFieldsEntry[],
  index: number,
): readonly JsonPatchOperation[] {
  const value = entries[index]?.manager ?? '';
  return [{ op: 'test', path: `/metadata/managedFields/${index}/manager`, value }];
}

function releaseReplicas(
  entries: readonly ManagedFieldsEntry[],
  index: number,
  replicas: number | undefined,
): readonly JsonPatchOperation[] {
  const owned = entries[index]?.fieldsV1?.['f:spec']?.['f:replicas'];
  if (replicas !== undefined || owned === undefined) return [];
  return [{ op: 'remove', path: `/metadata/managedFields/${index}/fieldsV1/f:spec/f:replicas` }];
}

export function isOurs({ manager, operation, subresource }: ManagedFieldsEntry): boolean {
  return manager === fieldManagers.atoll && operation === 'Apply' && subresource === undefined;
}

/** A selector cannot be changed, so its field owner made the object. */
function isMaker({ operation, subresource, fieldsV1 }: ManagedFieldsEntry): boolean {
  return (
    operation === 'Update' && subresource === undefined && fieldsV1?.['f:spec']?.['f:selector'] !== undefined
  );
}

function isOldOperators({ manager = '', operation, subresource }: ManagedFieldsEntry): boolean {
  return operation === 'Update' && subresource === undefined && oldFieldManagers.includes(manager);
}
