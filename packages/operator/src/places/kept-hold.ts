import { annotations } from '@atoll/api';
import { hold, type Hold } from '../engine/hold.ts';

/** A child that stays as an old operator left it. `difference`: from its template, in words. */
export function keptHold(place: string, difference: string): Hold {
  const problem = `${difference}, as an older operator left the child. Edit the template there, or set the annotation ${annotations.applyTemplate}: "true" on this object to apply it, which may replace pods`;
  return hold('OldTemplateKept', 'person', [place], { problem }, true);
}
