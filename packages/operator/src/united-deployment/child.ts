import { labels } from '@atoll/api';
import type { ChildWorkload, OwnedChild } from '../children/child.ts';
import type { ChildKind } from './child-kind.ts';

/** A child that this UnitedDeployment owns, by UID. */
export interface Child extends OwnedChild<ChildKind> {
  /** The subset that it serves; undefined where nothing on it says so. */
  readonly subset: string | undefined;
}

/** The selector of a child cannot be changed by anybody, so it is asked first; the label says the same. */
export function subsetNamedBy({ spec, metadata }: ChildWorkload): string | undefined {
  const named = spec?.selector?.matchLabels?.[labels.subsetName] ?? metadata.labels?.[labels.subsetName];
  return named === '' ? undefined : named;
}
