import type { Reason, Step } from '../engine/step.ts';
import { kindFacts } from './child-kind.ts';
import type { Surplus } from './decide.ts';

/**
 * The uid is the precondition. Only of twins the older one may go because of what its status says, so that status must
 * still be the one that was seen.
 */
export function deleteStep({ child, because }: Surplus): Step {
  const { name, namespace = '', uid, resourceVersion } = child.object.metadata;
  const byStatus = 'byStatus' in because && because.byStatus;
  return {
    do: 'delete',
    resource: kindFacts[child.kind].resource,
    key: { namespace, name },
    uid,
    ...(byStatus ? { resourceVersion } : {}),
    propagation: 'Background',
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
