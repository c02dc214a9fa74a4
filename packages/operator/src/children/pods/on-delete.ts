import { hold, type Hold } from '../../engine/hold.ts';
import type { ChildWorkload } from '../child.ts';

/** Whether its controller leaves old pods to people. */
export function isOnDelete({ spec }: ChildWorkload): boolean {
  return spec?.updateStrategy?.type === 'OnDelete';
}

/** `target`: whose child it is. `old`: how many of its pods are of an older template. */
export function waitsForDeletion(target: string, old: number): Hold {
  const pods = old === 1 ? 'its old pod' : `its ${old} old pods`;
  const freedBy = `somebody deletes ${pods}: the update strategy of the template is OnDelete`;
  return hold('WaitingForDeletion', 'person', [target], freedBy, false);
}
