import { Counter, Gauge } from 'prom-client';
import type { Metrics } from '@atoll/kube';
import type { PodStore } from './pods/pod-store.ts';

/** What the agent counts of its own. */
export interface AgentMetrics {
  readonly requests: Counter<'route' | 'method' | 'code'>;
  readonly stateWrites: Counter<'result'>;
}

export function createAgentMetrics({ registry }: Metrics, store: PodStore): AgentMetrics {
  const registers = [registry];
  new Gauge({
    name: 'atoll_agent_pods',
    help: 'Pods of the node that the agent serves.',
    registers,
    collect() {
      this.set(store.list()?.length ?? 0);
    },
  });
  new Gauge({
    name: 'atoll_agent_listed',
    help: 'Whether the API server has listed the pods since the start: 1, or 0 while they are as kept on disk.',
    registers,
    collect() {
      this.set(store.isListed ? 1 : 0);
    },
  });
  return {
    requests: new Counter({
      name: 'atoll_agent_requests_total',
      help: 'Requests that were answered, by route, method and HTTP status.',
      labelNames: ['route', 'method', 'code'],
      registers,
    }),
    stateWrites: new Counter({
      name: 'atoll_agent_state_writes_total',
      help: 'Writes of the state file. result: ok, failed.',
      labelNames: ['result'],
      registers,
    }),
  };
}
