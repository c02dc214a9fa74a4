import type { Instant, KubeObject, Stored } from '@atoll/kube';

/** One watch event as the recorder received it. */
export interface RecordedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** Part of the content at the time the recorder began: not a change. */
  readonly initial: boolean;
  /** When it arrived. */
  readonly at: Instant;
  /** `pods`, `deployments.apps`. */
  readonly resource: string;
  readonly uid: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /** The resourceVersion as a number: the revision of the one etcd, which orders events across resources. */
  readonly version: number;
  /** Without managedFields. Of a deletion: the last content. */
  readonly object: Stored<KubeObject>;
}

/** Events that the recorder can have missed: the server had forgotten where it was. */
export interface RecordingGap {
  readonly resource: string;
  readonly at: Instant;
  readonly afterVersion: number;
}
