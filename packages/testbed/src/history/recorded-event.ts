import type { Instant, KubeObject, Stored } from '@atoll/kube';

/** One watch event as the recorder received it. */
export interface RecordedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** Part of the content at the time the recorder began: not a change. */
  readonly initial: boolean;
  /**
   * Found by listing again after a gap: what came between is not known, and of a deletion not even the version
   * (`version` is then that of the list).
   */
  readonly relisted: boolean;
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

/**
 * A stretch in which the recorder can have missed events: the server had forgotten where it was, as it does when
 * it is started again.
 */
export interface RecordingGap {
  readonly resource: string;
  /** Undefined: all of them. */
  readonly namespace: string | undefined;
  /** When the stream before it ended. */
  readonly since: Instant;
  readonly afterVersion: number;
  /** The version of the list that ended it; undefined while that is still to come. */
  readonly until: { readonly version: number; readonly at: Instant } | undefined;
}
