import {
  isKnownToOldOperator,
  type Revision,
  type RevisionDecision,
} from '../../children/revisions/revision.ts';
import type { ChildKind } from '../child.ts';
import type { KnownToOldOperator } from '../rendering/render-child.ts';
import { replicasInRevision } from '../template.ts';

/** What of the wanted template and number of replicas the history shows an old operator to have seen. */
export function knownToOldOperator(
  decision: RevisionDecision<ChildKind>,
  replicas: number | undefined,
  history: readonly Revision<ChildKind>[],
): KnownToOldOperator {
  if (!isKnownToOldOperator(decision, history)) return { template: false, replicas: false };
  // Our own revisions leave replicas out: then nothing shows a change of them.
  const seen = replicasInRevision(decision.update.stored?.data);
  return { template: true, replicas: seen === undefined || seen === replicas };
}
