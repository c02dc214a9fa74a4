import type { UnitedDeployment } from '../src/index.ts';
import type { Loose } from './samples.ts';

const labels = { app: 'web' };

/** A valid template of any of the four kinds; `spec` replaces fields of the workload. */
export function template(member = 'deploymentTemplate', spec: Loose = {}): Loose {
  return {
    [member]: {
      metadata: { labels },
      spec: {
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] } },
        ...spec,
      },
    },
  };
}

export function subset(name: string, more: Loose = {}): Loose {
  return { name, ...more };
}

export function inZone(name: string, zone: string): Loose {
  return subset(name, {
    nodeSelectorTerm: { matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] },
  });
}

/** A valid UnitedDeployment of two subsets; `spec` replaces fields. */
export function united(namespace: string, name: string, spec: Loose = {}): UnitedDeployment {
  return {
    metadata: { namespace, name },
    spec: {
      replicas: 4,
      selector: { matchLabels: labels },
      template: template(),
      topology: { subsets: [inZone('zone-a', 'a'), inZone('zone-b', 'b')] },
      ...spec,
    },
  } as unknown as UnitedDeployment;
}

/** `spec` of subsets alone. */
export function subsets(...list: readonly Loose[]): Loose {
  return { topology: { subsets: list } };
}

export function adaptive(more: Loose, ...list: readonly Loose[]): Loose {
  return {
    topology: {
      scheduleStrategy: { type: 'Adaptive', ...more },
      subsets: list.length === 0 ? [subset('a'), subset('b')] : list,
    },
  };
}

export function partitions(values: Loose): Loose {
  return { updateStrategy: { type: 'Manual', manualUpdate: { partitions: values } } };
}
