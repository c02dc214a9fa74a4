import type { Fields } from '@atoll/kube';

/**
 * What a revision holds of a template: everything but what does not belong to it. `replicas` is an allocation, so that
 * scaling makes no revision; the selector is the owner's own.
 */
export interface ChildTemplate<Kind extends string = string> {
  readonly kind: Kind;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Fields;
}

/** The data of a ControllerRevision in the shape that the old operator of a kind gave it, both ways. */
export interface RevisionData<Kind extends string = string> {
  readonly write: (template: ChildTemplate<Kind>) => Fields;
  /** undefined: it is no revision of this kind's. */
  readonly read: (data: unknown) => ChildTemplate<Kind> | undefined;
}
