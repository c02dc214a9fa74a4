import type { OwnedChild } from '../children/child.ts';

/**
 * One of the places in which an object keeps a child: a pool that it selects, a subset that it names. The name is unique within
 * the object.
 */
export interface Place {
  readonly name: string;
  /** By which a rollout may choose it. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A child that the object owns, by UID. */
export interface PlaceChild<Kind extends string = string> extends OwnedChild<Kind> {
  /** The place that it serves; undefined where nothing on it names one. */
  readonly place: string | undefined;
}
