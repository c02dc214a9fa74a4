import type { Condition } from '@atoll/api';
import type { KubeObject, LabelSelector, Resource } from '@atoll/kube';

/** Keeps a ConfigMap for every pool that it selects. */
export interface PoolConfig extends KubeObject {
  readonly spec: {
    readonly nodePoolSelector: LabelSelector;
    readonly data: Readonly<Record<string, string>>;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly configMaps?: number;
    readonly conditions?: readonly Condition[];
  };
}

export const poolConfigs: Resource<PoolConfig> = {
  group: 'examples.atoll.dev',
  version: 'v1alpha1',
  kind: 'PoolConfig',
  plural: 'poolconfigs',
  namespaced: true,
};
