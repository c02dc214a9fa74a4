import { deletion } from '../engine/deletion.ts';
import type { Reason, Step } from '../engine/step.ts';
import { kindFacts } from './child-kind.ts';
import type { Surplus } from './decision.ts';

/**
 * The uid is the precondition. Which of two twins goes depends on what the status of both says, so the one that goes must
 * still be as it was seen: it may have become available meanwhile, and the other not.
 */
export function deleteStep({ child, because }: Surplus): Step {
  return {
    ...deletion(kindFacts[child.kind].resource, child.object, { asSeen: 'twinOf' in because }),
    ...('removed' in because ? { irreversible: true } : {}),
    ...(child.subset === undefined ? {} : { target: child.subset }),
    why: reasonToDelete(child.subset ?? '', because),
  };
}

function reasonToDelete(subset: string, because: Surplus['because']): Reason {
  if ('twinOf' in because) {
    const which = because.byStatus ? 'another child, whose pods are available' : 'an older child';
    return { word: 'DuplicateChild', message: `subset ${subset} has ${which}: ${because.twinOf}` };
  }
  if ('replacedBy' in because) {
    return { word: 'ChildDeleted', message: `${because.replacedBy} serves subset ${subset} now` };
  }
  return { word: 'SubsetRemoved', message: `spec.topology.subsets names subset ${subset} no longer` };
}
