import type { BinaryName } from '../control-plane/options.ts';

/** The versions that the three modules in `binaries/` require; a spec keeps both the same. */
export const kubernetesVersion = 'v1.36.3';
export const etcdVersion = 'v3.6.14';
export const kwokVersion = 'v0.8.0';

export type BinaryModule = 'kube' | 'etcd' | 'kwok';

export interface BinarySource {
  readonly module: BinaryModule;
  /** The Go package that builds it. */
  readonly goPackage: string;
}

/** In the order in which they are built: the quick ones first. */
export const binarySources: Readonly<Record<BinaryName, BinarySource>> = {
  etcd: { module: 'etcd', goPackage: 'go.etcd.io/etcd/server/v3' },
  kwok: { module: 'kwok', goPackage: 'sigs.k8s.io/kwok/cmd/kwok' },
  'kube-apiserver': { module: 'kube', goPackage: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  'kube-controller-manager': { module: 'kube', goPackage: 'k8s.io/kubernetes/cmd/kube-controller-manager' },
  'kube-scheduler': { module: 'kube', goPackage: 'k8s.io/kubernetes/cmd/kube-scheduler' },
  kubectl: { module: 'kube', goPackage: 'k8s.io/kubernetes/cmd/kubectl' },
};

export const binaryNames = Object.keys(binarySources) as readonly BinaryName[];
