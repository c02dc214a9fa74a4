/**
 * A condition as the old kinds carry it (every field optional there) with the generation that it is about.
 * Ours always fill every field (`reference/conditions.md`).
 */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
}
