import type { Registry } from 'prom-client';
import type { Pod, Stored } from '@atoll/kube';
import type { OtaContext } from '../ota/ota-context.ts';
import { doesNotExist, type PodName } from '../ota/live-pod.ts';
import { pullImage } from '../ota/pull-image.ts';
import { takeBackPull } from '../ota/take-back-pull.ts';
import { upgradePod } from '../ota/upgrade-pod.ts';
import { upgradeStatus, type UpgradeStatus } from '../ota/upgrade-status.ts';
import type { PodStore } from '../pods/pod-store.ts';
import { isUpgradable } from '../pods/upgradable.ts';
import { jsonAnswer, refusal, textAnswer, type Answer } from './answer.ts';
import { UpgradeStreams } from './follow-upgrade.ts';
import type { Call, Route } from './routes.ts';

const podPath = '/openyurt.io/v1/namespaces/{ns}/pods/{pod}';

/** The HTTP API of the agent: that of yurthub, and what is ours. */
export function agentRoutes(
  store: PodStore,
  context: OtaContext,
  registry: Pick<Registry, 'metrics' | 'contentType'>,
): readonly Route[] {
  const streams = new UpgradeStreams(context.clock, (listener) => store.onChange(listener));
  return [
    { method: 'GET', path: '/pods', handle: ({ query }) => listPods(store, query) },
    {
      method: 'POST',
      path: `${podPath}/upgrade`,
      writes: true,
      handle: async (call) => upgradePod(context, podOf(call)),
    },
    {
      method: 'GET',
      path: `${podPath}/upgrade`,
      handle: (call) => showUpgrade(store, context, streams, call),
    },
    {
      method: 'POST',
      path: `${podPath}/imagepull`,
      writes: true,
      handle: async (call) => pullImage(context, podOf(call)),
    },
    {
      method: 'DELETE',
      path: `${podPath}/imagepull`,
      writes: true,
      handle: async (call) => takeBackPull(context, podOf(call)),
    },
    { method: 'GET', path: '/v1/healthz', open: true, handle: () => textAnswer('OK') },
    { method: 'GET', path: '/v1/readyz', open: true, handle: () => readiness(store) },
    {
      method: 'GET',
      path: '/metrics',
      handle: async () => textAnswer(await registry.metrics(), registry.contentType),
    },
  ];
}

const listFailed = refusal(500, 'Get pod list failed');

function listPods(store: PodStore, query: URLSearchParams): Answer {
  const known = store.list();
  // An empty list would mean that the node runs nothing.
  if (known === undefined) return listFailed;
  const items = query.get('upgradable') === 'true' ? known.filter(isUpgradable) : known;
  return jsonAnswer({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: items.map(typed) });
}

/** Items of a list carry no kind, those of a watch do. */
function typed(pod: Stored<Pod>): Stored<Pod> {
  return { ...pod, apiVersion: 'v1', kind: 'Pod' };
}

/** The status as JSON, or as server-sent events where those are accepted. */
function showUpgrade(
  store: PodStore,
  { upgrades }: OtaContext,
  streams: UpgradeStreams,
  call: Call,
): Answer | undefined {
  const { namespace, name } = podOf(call);
  const statusNow = (): UpgradeStatus =>
    upgradeStatus(upgrades.get(namespace, name), store.list(), store.isListed);
  const status = statusNow();
  const isKnown = store
    .list()
    ?.some(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  // The file may be older than the pod.
  if (status.state === 'none' && isKnown !== true)
    return store.isListed ? doesNotExist({ namespace, name }) : listFailed;
  if (!(call.request.headers.accept ?? '').includes('text/event-stream')) return jsonAnswer(status);
  streams.follow(call.response, call.caller, statusNow);
  return undefined;
}

function readiness(store: PodStore): Answer {
  return store.list() === undefined
    ? refusal(500, 'the pods of the node were not listed yet')
    : textAnswer('OK');
}

function podOf({ parameters }: Call): PodName {
  return { namespace: parameters['ns'] ?? '', name: parameters['pod'] ?? '' };
}
