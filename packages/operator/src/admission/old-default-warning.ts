import type { ChildTemplate } from '../children/child-template.ts';
import { withOldDefaults } from '../children/revisions/old-defaults.ts';

/**
 * What a warning of replaced pods adds where the change takes out nothing but what the webhook of an old operator may have filled in: whether it
 * had, the history shows, which admission does not read.
 */
export function unlessFilledIn<Kind extends string>(
  before: ChildTemplate<Kind>,
  after: ChildTemplate<Kind>,
  meaningOf: (template: ChildTemplate<Kind>) => string,
): string {
  return before.kind === after.kind && meaningOf(withOldDefaults(after)) === meaningOf(before)
    ? ', unless the webhook of an older operator had filled in imagePullPolicy: Always'
    : '';
}
