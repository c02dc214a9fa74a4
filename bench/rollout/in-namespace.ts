import { namespaces } from '@atoll/kube';
import { patienceMs, type Bench } from './bench.ts';
import { RolloutWatch } from './rollout-watch.ts';
import type { Subject } from './subject.ts';

/** Gives the work a namespace with a watch on its children and pods, and removes the subject from it afterwards. */
export async function inNamespace<Result>(
  { client }: Bench,
  subject: Pick<Subject<unknown>, 'remove'>,
  namespace: string,
  work: (namespace: string, watch: RolloutWatch) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  const watch = new RolloutWatch();
  await client.create(namespaces, { metadata: { name: namespace } });
  await watch.start(client, namespace, ended.signal);
  try {
    const result = await work(namespace, watch);
    await subject.remove(namespace);
    await watch.nothing(patienceMs);
    return result;
  } finally {
    ended.abort();
  }
}
