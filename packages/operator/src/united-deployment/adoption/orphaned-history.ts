import { labels, type UnitedDeployment } from '@atoll/api';
import { compileSelector, controllerOf, controllerRevisions, selectorMatches } from '@atoll/kube';
import type { ControllerRevision, Stored } from '@atoll/kube';
import { adoption } from '../../children/ownership/adoption.ts';
import { isTerminating } from '../../children/child.ts';
import { revisionName, workloadLabel } from '../../children/names.ts';
import type { Step } from '../../engine/step.ts';
import type { Owner } from '../observe.ts';
import { revisionData } from '../template.ts';

/**
 * Revisions without an owner that were this UnitedDeployment's, or its namesake's before it. They come back by the rule
 * by which children do (`orphans.ts`), so that children keep the revisions that they name, and one can go back to an
 * older template. The name must be exactly the one that either operator gives, the content a template of ours, and the
 * labels must match the selector. Where no name and no content is taken for ours, it counts as a collision of names.
 */
export function adoptableHistory(
  owner: Stored<UnitedDeployment>,
  found: readonly Stored<ControllerRevision>[],
): readonly Stored<ControllerRevision>[] {
  return formerHistory(
    owner,
    found.filter((stored) => controllerOf(stored) === undefined),
  );
}

/**
 * Revisions that a UnitedDeployment of the same name, which is no more, still controls: their cache may be behind the one
 * that named us. As long as it is not seen whether they are deleted or let go their names mean what they meant, so that
 * nothing is named anew that comes back in a moment.
 */
export function predecessorsHistory(
  owner: Stored<UnitedDeployment>,
  found: readonly Stored<ControllerRevision>[],
): readonly Stored<ControllerRevision>[] {
  return formerHistory(
    owner,
    found.filter((stored) => controllerOf(stored)?.uid !== owner.metadata.uid),
  );
}

function formerHistory(
  owner: Stored<UnitedDeployment>,
  found: readonly Stored<ControllerRevision>[],
): readonly Stored<ControllerRevision>[] {
  if (found.length === 0 || isTerminating(owner)) return [];
  const selector = compileSelector(owner.spec.selector);
  return found.filter((stored) => {
    const { name, labels: carried = {} } = stored.metadata;
    const hash = carried[labels.revisionHash];
    if (isTerminating(stored) || hash === undefined) return false;
    if (name !== revisionName(owner.metadata.name, hash)) return false;
    const template = revisionData.read(stored.data);
    if (template === undefined) return false;
    const named = carried[labels.workload];
    // Kruise's of CloneSets carry none of the template's labels.
    if (named === undefined && template.kind === 'CloneSet') return true;
    if (named !== undefined && named !== workloadLabel(owner.metadata.name)) return false;
    return selectorMatches(selector, carried);
  });
}

export function adoptHistorySteps(
  owner: Owner,
  orphaned: readonly Stored<ControllerRevision>[],
): readonly Step[] {
  return orphaned.map((stored): Step => ({
    ...adoption(owner, controllerRevisions, stored),
    ifRefused: 'RevisionRefused',
    eventReason: 'FailedRevisionProvision',
    why: {
      word: 'HistoryAdopted',
      message: `${stored.metadata.name} has no owner and is a revision of this UnitedDeployment`,
    },
  }));
}
