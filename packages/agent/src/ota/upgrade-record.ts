/** An upgrade that was asked for: the pod that was deleted, and whose replacement is awaited. */
export interface UpgradeRecord {
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  /** The uid of the DaemonSet. */
  readonly owner: string;
  /** RFC 3339: when the pod was deleted. */
  readonly since: string;
}
