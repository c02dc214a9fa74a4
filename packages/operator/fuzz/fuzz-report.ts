/** What one batch of hostile objects, and the normal ones beside them, showed. */
export interface FuzzBatch {
  readonly batch: number;
  readonly taken: number;
  /** By the API server. */
  readonly refused: number;
  /** Served objects that were changed into others, and back. */
  readonly changed: number;
  /** Of these, how many reported that something of their new spec cannot be carried out. */
  readonly faulty: number;
  /** Requests of the operator that were to change something. */
  readonly writes: number;
  readonly answeredMs: number;
  /** Until what was changed of the others beside them was as wanted. */
  readonly servedMs: number;
  /** What the operator holds. */
  readonly megabytes: number;
  /** Empty: every rule held. */
  readonly wrong: readonly string[];
  /** A directory; undefined: every rule held. */
  readonly evidence: string | undefined;
}
