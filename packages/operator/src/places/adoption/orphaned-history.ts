import { labels, oldEventReasons } from '@atoll/api';
import { controllerOf, controllerRevisions, selectorMatches } from '@atoll/kube';
import type { ControllerRevision, Reader, Stored } from '@atoll/kube';
import type { RevisionData } from '../../children/child-template.ts';
import { isTerminating } from '../../children/child.ts';
import { revisionName, workloadLabel } from '../../children/names.ts';
import { adoption } from '../../children/ownership/adoption.ts';
import { ownedBy } from '../../children/ownership/owned-by.ts';
import type { ChildOwner } from '../../children/ownership/owner.ts';
import type { Step } from '../../engine/step.ts';
import { selectorThatAdopts, type SelectingOwner } from './orphans.ts';
import { ofNamesakes } from './predecessor.ts';

/** How a kind recognises what was the history of its objects. */
export interface FormerHistory<Kind extends string> {
  readonly data: RevisionData<Kind>;
  /** The kind of template whose revisions an older operator labels with nothing of the template. */
  readonly unlabelled?: Kind;
}

/** The revisions of an object, and those that are to become its own. */
export interface StoredHistory {
  readonly all: readonly Stored<ControllerRevision>[];
  /** Revisions that nobody owns and that are to become ours. */
  readonly orphaned: readonly Stored<ControllerRevision>[];
}

/** Files a revision that nobody owns under its namespace: its owner may have been made anew. */
export const byOrphanedHistory = {
  orphan: ({ metadata }: Stored<ControllerRevision>): readonly string[] => {
    const { namespace = '', labels: found } = metadata;
    return found?.[labels.revisionHash] !== undefined && controllerOf({ metadata }) === undefined
      ? [namespace]
      : [];
  },
};

/**
 * Revisions without an owner that were this object's, or its namesake's before it, come back by the rule by which children do
 * (`orphans.ts`), so that children keep the revisions that they name, and one can go back to an older template.
 *
 * Those that an object of the same name, which is no more, still controls count as well: their cache may be behind the one that named us.
 * As long as it is not seen whether they are deleted or let go their names mean what they meant, so that nothing is named anew that comes
 * back in a moment.
 */
export function storedHistory<Kind extends string>(
  owner: ChildOwner<SelectingOwner>,
  reader: Reader<ControllerRevision>,
  former: FormerHistory<Kind>,
): StoredHistory {
  const { metadata } = owner.object;
  const owned = ownedBy(reader, owner.object);
  const unowned = reader.by('orphan', metadata.namespace ?? '');
  const namesakes = ofNamesakes(owner, reader).filter((stored) => controllerOf(stored)?.uid !== metadata.uid);
  const orphaned = formerHistory(owner.object, former, unowned);
  return { orphaned, all: [...owned, ...orphaned, ...formerHistory(owner.object, former, namesakes)] };
}

/**
 * The name must be exactly the one that we or an older operator give, the content a template of the kind, and the labels must match the
 * selector. Where no name and no content is taken for ours, it counts as a collision of names.
 */
export function formerHistory<Kind extends string>(
  owner: Stored<SelectingOwner>,
  { data, unlabelled }: FormerHistory<Kind>,
  found: readonly Stored<ControllerRevision>[],
): readonly Stored<ControllerRevision>[] {
  const selector = found.length === 0 ? undefined : selectorThatAdopts(owner);
  if (selector === undefined) return [];
  return found.filter((stored) => {
    const { name, labels: carried = {} } = stored.metadata;
    const hash = carried[labels.revisionHash];
    if (isTerminating(stored) || hash === undefined) return false;
    if (name !== revisionName(owner.metadata.name, hash)) return false;
    const template = data.read(stored.data);
    if (template === undefined) return false;
    const named = carried[labels.workload];
    if (named === undefined && template.kind === unlabelled) return true;
    if (named !== undefined && named !== workloadLabel(owner.metadata.name)) return false;
    return selectorMatches(selector, carried);
  });
}

export function adoptHistorySteps(
  owner: ChildOwner,
  orphaned: readonly Stored<ControllerRevision>[],
): readonly Step[] {
  return orphaned.map((stored): Step => ({
    ...adoption(owner, controllerRevisions, stored),
    ifRefused: 'RevisionRefused',
    eventReason: oldEventReasons.failedRevisionProvision,
    why: {
      word: 'HistoryAdopted',
      message: `${stored.metadata.name} has no owner and is a revision of this ${owner.resource.kind}`,
    },
  }));
}
