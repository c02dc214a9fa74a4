/** A word that `kubectl describe` shows beside those of the catalogue, because programs of the operators before read it. */
export interface OlderWord {
  readonly word: string;
  readonly meaning: string;
}

/** Types of conditions, by the kinds that have them. */
export const olderConditions: Readonly<Record<string, readonly OlderWord[]>> = {
  'UnitedDaemonSet, YurtAppDaemon': [
    { word: 'WorkLoadProvisioned', meaning: 'every selected pool has its child, and no other child is left' },
    { word: 'WorkLoadUpdated', meaning: 'every child has the current template, whatever its pods do' },
    { word: 'WorkLoadFailure', meaning: 'something is wrong: the message is that of `Ready`' },
  ],
  UnitedDeployment: [
    { word: 'SubsetProvisioned', meaning: 'every subset has its child, and no other child is left' },
    { word: 'SubsetUpdated', meaning: 'every child has the current template, whatever its pods do' },
    { word: 'SubsetFailure', meaning: 'something is wrong: the message is that of `Ready`' },
    { word: 'UnitedDeploymentUpdated', meaning: 'every pod is of the newest revision' },
    {
      word: 'SubsetReplicasEffective',
      meaning: "the subsets get the replicas that the spec gives them; this one is Atoll's own",
    },
    {
      word: 'Schedulable',
      meaning: 'of one subset, in `status.subsetStatuses`: its pods find nodes, as far as is known',
    },
  ],
  ExtendedDaemonSet: [
    { word: 'Canary-Paused', meaning: 'the canary is paused; the reason is why' },
    {
      word: 'Canary-Failed',
      meaning:
        'the canary has failed, and its template is still in the spec. False: the one that the message names failed before, and the spec has another template now, or it was promoted later',
    },
    {
      word: 'ReconcileError',
      meaning: 'the API server refuses a write: reason and message are those of `Ready`',
    },
    {
      word: 'ActiveReplicaSetUnknown',
      meaning:
        "`status.activeReplicaSet` was lost, and no pod is made or deleted until a person names it: the message is that of `Ready`; this one is Atoll's own",
    },
  ],
  'its replica sets': [
    { word: 'Active', meaning: 'the nodes are to run this template' },
    { word: 'RollingUpdatePaused', meaning: 'it is the active one, and its rolling update is paused' },
    { word: 'RolloutFrozen', meaning: 'it is the active one, and its rollout is frozen' },
    { word: 'Canary', meaning: 'this template is tried' },
    { word: 'Canary-Paused', meaning: 'its trial is paused; reason and message are why' },
    { word: 'Canary-Failed', meaning: 'its trial has failed; reason and message are why' },
    {
      word: 'CanaryDuration',
      meaning: "`lastUpdateTime` is when the duration of its trial began to count; this one is Atoll's own",
    },
    {
      word: 'SettingsGone',
      meaning:
        "there are outdated pods that were made with settings which are gone; the message has since when each is, and `lastUpdateTime` since when the first; this one is Atoll's own",
    },
    {
      word: 'ActiveReplicaSetUnknown',
      meaning:
        "this template is, or was, in the spec while it was not known which replica set is the active one; this one is Atoll's own",
    },
    {
      word: 'PodRestarting',
      meaning:
        'a container of the canary was restarted: first at `lastTransitionTime`, last at `lastUpdateTime`',
    },
    { word: 'PodCannotStart', meaning: 'a pod of the canary cannot start; reason and message are why' },
    { word: 'Unschedule', meaning: 'pods find no node; the message has the nodes that they are for' },
    { word: 'PodCreation', meaning: 'pods were made, last at `lastUpdateTime`' },
    { word: 'PodDeletion', meaning: 'pods were deleted, last at `lastUpdateTime`' },
    { word: 'PodsCleanupDone', meaning: 'pods that had to go were deleted' },
    { word: 'LastFullSync', meaning: 'its status was last written at `lastUpdateTime`' },
    { word: 'ReconcileError', meaning: 'the API server refuses a write of its pods' },
  ],
  ExtendedDaemonsetSetting: [
    {
      word: 'NotAppliedBefore',
      meaning:
        "the old operator had an error of it, so pods that it made stay until their template or this setting changes; this one is Atoll's own",
    },
  ],
};

/** Reasons of these conditions, of `status.reason` of an ExtendedDaemonSet and of Atoll's own condition `atoll.dev/Held`. */
export const olderReasons: readonly OlderWord[] = [
  { word: 'Error', meaning: '`WorkLoad…` and `Subset…`: see the reason of `Ready`' },
  { word: 'UnitedDeploymentRevisionUpdated', meaning: 'every pod is of the newest revision' },
  { word: 'UnitedDeploymentRevisionUpdating', meaning: 'not every pod is; the message names both revisions' },
  {
    word: 'reschedule',
    meaning:
      '`Schedulable` False: pods found no node, and replicas go to other subsets for `unschedulableDuration`',
  },
  { word: 'recover', meaning: '`Schedulable` True: that time is over, and the subset is tried again' },
  {
    word: 'created',
    meaning:
      '`Schedulable` False, with `reserveUnschedulablePods`: the subset is new, and its pods count once they are ready',
  },
  { word: 'NothingHeld', meaning: "`atoll.dev/Held` False, which is Atoll's own: nothing is waited for" },
  {
    word: 'Unknown',
    meaning:
      'a canary: a person paused it with the annotation `canary-paused`, and without `canary-paused-reason`. Or why a container ended is not known',
  },
  { word: 'Manually failed', meaning: 'a canary: `kubectl eds canary fail` ended it' },
  {
    word: 'SlowStartTimeoutExceeded',
    meaning: 'a canary: the containers of a pod were not started within `autoPause.maxSlowStartDuration`',
  },
  {
    word: 'RestartsTimeoutExceeded',
    meaning: 'a canary: its containers were restarted for longer than `autoFail.maxRestartsDuration`',
  },
  { word: 'TimeoutExceeded', meaning: 'a canary: it was not done after `autoFail.canaryTimeout`' },
];

/** Reasons of events, each with the reason of the catalogue that explains it, where there is one. */
export const olderEvents: readonly (OlderWord & { readonly see?: string })[] = [
  { word: 'Successful CreateWorkload', meaning: 'children of pools were created' },
  { word: 'Successful UpdateWorkload', meaning: 'children of pools were changed' },
  { word: 'Successful DeleteWorkload', meaning: 'children of pools were deleted' },
  { word: 'Failed UpdateWorkload', meaning: 'the change of a child of a pool failed', see: 'ChildRefused' },
  { word: 'SuccessfulUpdateSubset', meaning: 'children of subsets were created, changed or deleted' },
  { word: 'FailedUpdateSubset', meaning: 'the write of a child of a subset failed', see: 'ChildRefused' },
  {
    word: 'Failed SpecifySubsetReplicas',
    meaning: 'the numbers of the subsets cannot be met',
    see: 'SubsetReplicasIneffective',
  },
  { word: 'FailedRevisionProvision', meaning: 'the template could not be recorded', see: 'RevisionRefused' },
  { word: 'SuccessfulCreate', meaning: 'pods were made, on the nodes that the message names' },
  { word: 'SuccessfulDelete', meaning: 'pods were deleted, on the nodes that the message names' },
  { word: 'Create ExtendedDaemonSetReplicaSet', meaning: 'a replica set was made for a template' },
  { word: 'Create PodTemplate', meaning: 'the PodTemplate that cluster-autoscaler reads was made' },
  {
    word: 'Update PodTemplate',
    meaning: 'the PodTemplate that cluster-autoscaler reads follows the template',
  },
];
