import type { GaugeFamily, GaugePages, ServedNamespace } from '@atoll/kube';

/** The pages with a gauge of the namespaces to which the operator is limited. */
export function withNamespaceGauge(
  pages: GaugePages,
  namespaces: readonly Pick<ServedNamespace, 'name' | 'state'>[],
): GaugePages {
  const others = pages.get('metrics');
  return new Map([...pages, ['metrics', () => [...(others?.() ?? []), namespaceGauge(namespaces)]]]);
}

/** One sample for each namespace. */
function namespaceGauge(namespaces: readonly Pick<ServedNamespace, 'name' | 'state'>[]): GaugeFamily {
  return {
    name: 'atoll_namespace_served',
    help: 'Of each namespace of --namespaces: 1 while it is served; state is unknown, absent, loading, unreadable or served.',
    samples: namespaces.map(({ name, state }) => ({
      labels: { namespace: name, state },
      value: state === 'served' ? 1 : 0,
    })),
  };
}
