/**
 * What the old operator fills in (`reference/extendeddaemonset.md` 1.1 and 7.6). It writes them into the spec; here
 * they are applied in memory and the spec stays as the user wrote it.
 */
export const extendedDaemonSetDefaults = {
  reconcileFrequency: '10s',
  rollingUpdate: {
    maxUnavailable: 1,
    maxPodSchedulerFailure: 0,
    maxParallelPodCreation: 250,
    slowStartIntervalDuration: '1m0s',
    slowStartAdditiveIncrease: 1,
  },
  canary: {
    validationMode: 'auto',
    replicas: 1,
    /** In the mode `auto` only. */
    duration: '10m0s',
    /** In the mode `auto` only. */
    noRestartsDuration: '5m0s',
    nodeSelector: { matchLabels: {} },
    autoPause: { enabled: true, maxRestarts: 2 },
    autoFail: { enabled: true, maxRestarts: 5 },
  },
} as const;

/** Times that the old operator keeps fixed, in milliseconds. */
export const extendedDaemonSetTimes = {
  /** First and longest wait before the failed pod of a node is replaced again; doubled each time. */
  failedPodBackOff: { first: 10_000, longest: 15 * 60_000 },
  /** A pod that is not scheduled for longer makes its node unresponsive. */
  schedulerIssue: 10 * 60_000,
  /** A replica set that failed as canary is kept for so long. */
  failedReplicaSetKept: 2 * 60_000,
  /** Where replica sets are rewritten when they are made, another one is made so long after the last. */
  rewrittenMadeAgain: 5 * 60_000,
} as const;
