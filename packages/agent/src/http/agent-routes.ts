import type { Registry } from 'prom-client';
import type { Pod, Stored } from '@atoll/kube';
import type { OtaContext } from '../ota/ota-context.ts';
import type { PodName } from '../ota/live-pod.ts';
import { pullImage } from '../ota/pull-image.ts';
import { upgradePod } from '../ota/upgrade-pod.ts';
import type { PodStore } from '../pods/pod-store.ts';
import { isUpgradable } from '../pods/upgradable.ts';
import { jsonAnswer, refusal, textAnswer, type Answer } from './answer.ts';
import type { Call, Route } from './routes.ts';

const podPath = '/openyurt.io/v1/namespaces/{ns}/pods/{pod}';

/** The HTTP API of the agent: that of yurthub, and what is ours. */
export function agentRoutes(
  store: PodStore,
  context: OtaContext,
  registry: Pick<Registry, 'metrics' | 'contentType'>,
): readonly Route[] {
  return [
    { method: 'GET', path: '/pods', handle: ({ query }) => listPods(store, query) },
    {
      method: 'POST',
      path: `${podPath}/upgrade`,
      writes: true,
      handle: async (call) => upgradePod(context, podOf(call)),
    },
    {
      method: 'POST',
      path: `${podPath}/imagepull`,
      writes: true,
      handle: async (call) => pullImage(context, podOf(call)),
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

function listPods(store: PodStore, query: URLSearchParams): Answer {
  const known = store.list();
  // An empty list would say that the node runs nothing.
  if (known === undefined) return refusal(500, 'Get pod list failed');
  const items = query.get('upgradable') === 'true' ? known.filter(isUpgradable) : known;
  return jsonAnswer({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: items.map(typed) });
}

/** Items of a list carry no kind, those of a watch do. */
function typed(pod: Stored<Pod>): Stored<Pod> {
  return { ...pod, apiVersion: 'v1', kind: 'Pod' };
}

function readiness(store: PodStore): Answer {
  return store.list() === undefined
    ? refusal(500, 'the pods of the node were not listed yet')
    : textAnswer('OK');
}

function podOf({ parameters }: Call): PodName {
  return { namespace: parameters['ns'] ?? '', name: parameters['pod'] ?? '' };
}
