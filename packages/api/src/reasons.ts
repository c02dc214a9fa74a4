/**
 * The one catalogue of reason words (`reference/conditions.md`): the same word appears in the condition, the event,
 * the metric label, the log line and the documentation.
 */
export const reasonWords = [
  'RolloutComplete',
  'RollingOut',
  'ChildRefused',
  'ChildCreated',
  'ChildUpdated',
  'ChildDeleted',
  'ChildDrifted',
  'NameTaken',
  'NoPoolsSelected',
  'WaitingForNodes',
  'WaitingForReady',
  'PoolTerminating',
  'PoolUnselected',
  'DuplicateChild',
  'RevisionCreated',
  'RevisionRefused',
  'HistoryLimit',
  'InvalidSelector',
  'InvalidTemplate',
  'NotYetObserved',
  'StatusOutdated',
  'AttributesOutdated',
  'NodeLeft',
  'NodeRefused',
  'PoolSynced',
] as const;

export type ReasonWord = (typeof reasonWords)[number];
