import { hold, type Hold } from '../../engine/hold.ts';
import type { ChildWorkload } from '../child.ts';

/** Whether its controller leaves old pods to people. */
export function isOnDelete({ spec }: ChildWorkload): boolean {
  return spec?.updateStrategy?.type === 'OnDelete';
}

/** `target`: whose child it is. `old`: how many of its pods are of an older template. */
export function waitsForDeletion(target: string, old: number): Hold {
  const pods = old === 1 ? 'a pod runs' : `${old} pods run`;
  const then = old === 1 ? 'Delete it to update it' : 'Delete them to update them';
  const problem = `${pods} an older template, and the update strategy is OnDelete. ${then}`;
  return hold('WaitingForDeletion', 'person', [target], { problem }, false);
}
