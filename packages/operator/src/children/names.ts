import { asLabelValue, stableHash } from '@atoll/kube';

/** Room for a pod's ordinal and a revision hash within the 63 characters of a label value (StatefulSet pods carry both). */
const childNameLimit = 52;
/** The old operator's own bound, so that a revision's name stays a DNS subdomain. */
const revisionOwnerLimit = 223;

/**
 * The name of the child of one place (a pool, a subset): the same in every process and at every moment, so that a repeated create is
 * AlreadyExists and not a duplicate child. The hash stands for the owner's uid and the whole name of the place; what stands before it is
 * for people, cut to fit, without dots, because the name becomes part of host names.
 */
export function childName(owner: { readonly name: string; readonly uid: string }, place: string): string {
  const hash = stableHash([owner.uid, place], 8);
  const room = childNameLimit - hash.length - 2;
  const placeRoom = Math.max(Math.floor(room / 2), room - owner.name.length);
  const placePart = cut(place, placeRoom);
  const ownerPart = cut(owner.name, room - placePart.length);
  return [ownerPart, placePart, hash].filter((part) => part !== '').join('-');
}

/** What every child's name of an owner begins with, whatever its places are called. */
export function childNamePrefix(ownerName: string): string {
  return cut(ownerName, Math.floor((childNameLimit - 10) / 2));
}

export function revisionName(ownerName: string, hash: string): string {
  return `${ownerName.slice(0, revisionOwnerLimit)}-${hash}`;
}

/**
 * A revision's name as a label value: the name itself, as the old operator writes it, wherever a label value can hold
 * it; else its beginning and its hash, which no create can be refused for.
 */
export function revisionLabel(name: string): string {
  return asLabelValue(name, name.slice(name.lastIndexOf('-') + 1));
}

/** An owner's name as a label value. */
export function workloadLabel(name: string): string {
  return asLabelValue(name);
}

function cut(text: string, room: number): string {
  return text.replaceAll('.', '-').slice(0, room).replace(/-+$/, '');
}
