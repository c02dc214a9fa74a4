/** An upgrade that was asked for: the pod that is deleted, and whose replacement is awaited. */
export interface UpgradeRecord {
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  /** The uid of the DaemonSet. */
  readonly owner: string;
  /** RFC 3339: when the deletion was sent. */
  readonly since: string;
  /** The API server has answered that it deletes the pod. Otherwise the pod itself shows whether it does. */
  readonly isConfirmed: boolean;
}
