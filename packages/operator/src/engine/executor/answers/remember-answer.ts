import type { KubeObject, Stored } from '@atoll/kube';
import { loweredReplicas } from './lowered-replicas.ts';

/** Sent objects are never changed, and forgotten with the plan that they belong to unless somebody compares with them. */
const answers = new WeakMap<KubeObject, Stored<KubeObject>>();

/**
 * Notes what the API server made of an object that was sent: a mutating webhook may have rewritten fields of it. Not where it left fewer replicas: that
 * has failed, and is sent again.
 */
export function rememberAnswer(sent: KubeObject, answer: Stored<KubeObject>): void {
  if (loweredReplicas(sent, answer) !== undefined) return;
  answers.set(sent, answer);
}

/** What the API server made of it; undefined: it was not sent, or the answer was lost. */
export function answerTo(sent: KubeObject): Stored<KubeObject> | undefined {
  return answers.get(sent);
}
