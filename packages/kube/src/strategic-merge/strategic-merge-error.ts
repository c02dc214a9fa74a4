/** A patch that cannot be merged; the message begins with the path in the patch at which it is wrong. */
export class StrategicMergeError extends Error {
  override readonly name = 'StrategicMergeError';
  /** As Kubernetes writes paths: `spec.containers[0].env`; empty for the patch itself. */
  readonly path: string;

  constructor(path: string, problem: string) {
    super(path === '' ? problem : `${path}: ${problem}`);
    this.path = path;
  }
}
