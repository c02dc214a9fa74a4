import type { BinaryName } from '../control-plane/options.ts';

/** The versions that the modules in `binaries/` require; a spec keeps both the same. */
export const kubernetesVersion = 'v1.36.3';
export const etcdVersion = 'v3.6.14';
export const kwokVersion = 'v0.8.0';

/** Minors that `ATOLL_KUBERNETES` may ask for, each with a module of its own but the one that runs unasked. */
const minors: Readonly<Record<string, string>> = {
  'v1.37': 'v1.37.2',
  'v1.36': kubernetesVersion,
  'v1.33': 'v1.33.13',
  'v1.30': 'v1.30.14',
};

/** What `ATOLL_KUBERNETES` may be, the newest first. */
export const kubernetesMinors = Object.keys(minors);

/** The version that this process is to run. Throws where it asks for one that there is no module of. */
export function kubernetesVersionOf(environment: Readonly<Record<string, string | undefined>>): string {
  const asked = environment['ATOLL_KUBERNETES'] ?? '';
  if (asked === '') return kubernetesVersion;
  const version = minors[`v${asked.replace(/^v/, '')}`];
  if (version !== undefined) return version;
  throw new Error(`there is no Kubernetes ${asked} here, but ${kubernetesMinors.join(', ')}`);
}

/** The minor of that version: 36 of v1.36.3. */
export function kubernetesMinorOf(environment: Readonly<Record<string, string | undefined>>): number {
  return Number(kubernetesVersionOf(environment).split('.')[1]);
}

/** The folder in `binaries/` with the Go module that requires this version. */
export function kubernetesModule(version: string): string {
  return version === kubernetesVersion ? 'kube' : `kube-${version.split('.').slice(0, 2).join('.').slice(1)}`;
}

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
