import {
  createClient,
  createInformer,
  loadKubeconfig,
  parseKey,
  pods,
  projection,
  type Pod,
} from '@atoll/kube';
import { beginMeasuring, finish, makeRequests, task } from './task.ts';

/** Reads as this library does; with `ALL_FIELDS` set, without a projection. */
const { kubeconfig, what, events, requests, names } = task();
beginMeasuring();
const client = createClient(await loadKubeconfig({ path: kubeconfig }));
const declared = projection<Pod>()('metadata', 'spec.nodeName', 'status');
const informer = createInformer({
  client,
  resource: pods,
  indexers: { node: (pod) => (pod.spec?.nodeName === undefined ? [] : [pod.spec.nodeName]) },
  ...(process.env['ALL_FIELDS'] === undefined ? { projection: declared } : {}),
});

if (what === 'requests') {
  const get = (index: number) => client.get(pods, parseKey(names[index % names.length] ?? ''));
  finish(await makeRequests(requests, get));
} else {
  const startedAt = performance.now();
  let firstAt: number | undefined;
  let heard = 0;
  informer.subscribe((batch) => {
    if (what !== 'events' || batch[0]?.type !== 'updated') return;
    firstAt ??= performance.now();
    heard += batch.length;
    if (heard >= events) finish(performance.now() - firstAt);
  });
  void informer.start(new AbortController().signal);
  await informer.synced;
  if (what === 'list') finish(performance.now() - startedAt);
}
