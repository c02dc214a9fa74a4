import { canonicalJson } from '@atoll/kube';
import type { PodTemplate } from '../child.ts';
import { podMeaning } from '../pods/pod-meaning.ts';
import type { Revision } from './revision.ts';

/**
 * Yields for a revision the label of the first one of those up to it, without a gap, that make the same pods. It is the label that such pods
 * have: a child that is made anew and finds them, because the one before it was deleted without them, takes them over and replaces none.
 * `history`: oldest first; of revisions that are not kept any more nothing is known.
 */
export function firstWithSamePods(history: readonly Revision[]): (revision: Revision) => string {
  const meanings = new Map<string, string>();
  const meaningOf = ({ label, template }: Revision): string => {
    const known = meanings.get(label);
    if (known !== undefined) return known;
    const pods = podMeaning((template.spec['template'] ?? {}) as PodTemplate);
    const meaning = `${template.kind} ${canonicalJson(pods)}`;
    meanings.set(label, meaning);
    return meaning;
  };
  return (revision) => {
    const place = history.findIndex(({ label }) => label === revision.label);
    const before = place < 0 ? history : history.slice(0, place);
    const other = before.findLastIndex((each) => meaningOf(each) !== meaningOf(revision));
    return (before[other + 1] ?? revision).label;
  };
}
