import { CoreV1Api, KubeConfig, makeInformer, type V1Pod } from '@kubernetes/client-node';
import { beginMeasuring, finish, makeRequests, task } from './task.ts';

/**
 * Reads as the documentation of @kubernetes/client-node shows; with `SHARED_DISPATCHER` set, all requests go over the connections
 * of one dispatcher, where it makes one for each.
 */
const { kubeconfig, what, pods, events, requests, names } = task();
beginMeasuring();
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
if (process.env['SHARED_DISPATCHER'] !== undefined) shareDispatcher(config);
const api = config.makeApiClient(CoreV1Api);

if (what === 'requests') {
  const get = (index: number) => {
    const [namespace = '', name = ''] = (names[index % names.length] ?? '').split('/');
    return api.readNamespacedPod({ namespace, name });
  };
  finish(await makeRequests(requests, get));
} else {
  const informer = makeInformer<V1Pod>(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
  const startedAt = performance.now();
  let firstAt: number | undefined;
  let heard = 0;
  informer.on('update', () => {
    firstAt ??= performance.now();
    heard++;
    if (heard === events) finish(performance.now() - firstAt);
  });
  let present = 0;
  informer.on('add', () => {
    present++;
    if (present === pods && what === 'list') finish(performance.now() - startedAt);
  });
  informer.on('error', (error: unknown) => {
    throw error;
  });
  await informer.start();
}

/** It has no setting for this, so its method is replaced. */
function shareDispatcher(of: KubeConfig): void {
  const create = Reflect.get(of, 'createDispatcher') as (...args: readonly unknown[]) => unknown;
  let shared: unknown;
  Reflect.set(
    of,
    'createDispatcher',
    (...args: readonly unknown[]) => (shared ??= create.apply(of, [...args])),
  );
}
