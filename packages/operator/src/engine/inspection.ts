/**
 * A workload that is not healthy, into whose pods it is worth to look. Plans name all that there are now: the first look comes
 * after it has been named for a while, and a workload that is not named any more is forgotten at once.
 */
export interface Inspection {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** What was found of an older one is not true of this one. */
  readonly generation: number;
  /** As lists take it. */
  readonly labelSelector: string;
  /** How many pods it is to have. */
  readonly wanted: number;
  /** Names of the pods that are waited for, where the plan knows them, first those that show most: why others are not healthy does not matter. Absent: all of them. */
  readonly awaited?: readonly string[];
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
}

/** What the engine needs of an inspector. */
export interface Inspections {
  /** Replaces what the key wanted inspected before. */
  want(controller: string, key: string, inspections: readonly Inspection[]): void;
  /** Calls the listener with each key of the controller of whose workloads something else was found. */
  onFinding(controller: string, listener: (key: string) => void): () => void;
}
