import { byAge, isReady, type Pod, type Stored } from '@atoll/kube';

/** Names of pods that are waited for. Those come first that show most: the ones that are not Ready, and of these the oldest. */
export function awaitedNames(pods: readonly Stored<Pod>[]): readonly string[] {
  const inOrder = [...pods].sort((a, b) => Number(isReady(a)) - Number(isReady(b)) || byAge(a, b));
  return inOrder.map(({ metadata }) => metadata.name);
}
