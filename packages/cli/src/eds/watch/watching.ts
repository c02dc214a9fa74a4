import { isApiError, type KubeObject, type StreamEvent } from '@atoll/kube';

/** Gets what a watch brings. */
export interface Watching<T extends KubeObject> {
  readonly changed: (change: StreamEvent<T>) => void;
  /** The watch failed, and is opened again soon. */
  readonly failed: (error: Error) => void;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/** What is kept of objects where managedFields are shown: without it the client leaves these out. */
export const allFields = {
  paths: undefined,
  tree: { otherwise: 'keep', fields: [] },
  metadataOnly: false,
} as const;

/** Whether the API server refused a watch, and would do so again. */
export function isFinal(error: unknown): boolean {
  return isApiError(error) && !error.retryable && error.status !== undefined && error.code !== 410;
}
