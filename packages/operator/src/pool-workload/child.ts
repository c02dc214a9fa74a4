import type { OwnedChild } from '../children/child.ts';

/** The kinds that a template can be of: what `status.templateType` says. */
export type ChildKind = 'Deployment' | 'StatefulSet';

export const childKinds: readonly ChildKind[] = ['Deployment', 'StatefulSet'];

/** A child that this workload owns, by UID. */
export interface Child extends OwnedChild<ChildKind> {
  /** The pool that it serves; undefined where nothing on it says so. */
  readonly pool: string | undefined;
}
