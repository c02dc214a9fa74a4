import type { BinaryName } from '../control-plane/options.ts';
import type { Environment } from './cache-directory.ts';
import { binarySources, etcdVersion, kwokVersion } from './versions.ts';

/** Where a binary is published, and where its checksum is. */
export interface Release {
  readonly url: string;
  readonly checksum: Checksum;
  /** The name of the binary inside the archive; absent where the download is the binary itself. */
  readonly archived?: string;
}

export type Checksum =
  /** A file that holds nothing but the checksum. */
  | { readonly kind: 'file'; readonly url: string }
  /** A file of lines `<checksum>  <file name>`. */
  | { readonly kind: 'list'; readonly url: string; readonly fileName: string }
  /** GitHub's description of a release, whose assets carry a digest. */
  | { readonly kind: 'release'; readonly url: string; readonly fileName: string };

/** Base addresses, so that a mirror can stand in for the public ones. */
export interface Mirrors {
  readonly kubernetes: string;
  readonly etcd: string;
  readonly kwok: string;
  /** Where the digests of kwok's release are described: it publishes no checksum file. */
  readonly kwokReleases: string;
}

export function mirrorsOf(environment: Environment): Mirrors {
  const pick = (name: string, standard: string): string =>
    (environment[name] || standard).replace(/\/+$/, '');
  return {
    kubernetes: pick('ATOLL_MIRROR_KUBERNETES', 'https://dl.k8s.io/release'),
    etcd: pick('ATOLL_MIRROR_ETCD', 'https://github.com/etcd-io/etcd/releases/download'),
    kwok: pick('ATOLL_MIRROR_KWOK', 'https://github.com/kubernetes-sigs/kwok/releases/download'),
    kwokReleases: pick(
      'ATOLL_MIRROR_KWOK_RELEASES',
      'https://api.github.com/repos/kubernetes-sigs/kwok/releases/tags',
    ),
  };
}

export interface Platform {
  readonly os: string;
  readonly arch: string;
}

/** In Go's words; undefined where nothing is published that this machine could run. */
export function platformOf(platform: NodeJS.Platform, arch: string): Platform | undefined {
  const goArch = { x64: 'amd64', arm64: 'arm64' }[arch];
  return platform === 'linux' && goArch !== undefined ? { os: 'linux', arch: goArch } : undefined;
}

export function releaseOf(
  name: BinaryName,
  { os, arch }: Platform,
  mirrors: Mirrors,
  kubernetesVersion: string,
): Release {
  switch (binarySources[name].module) {
    case 'kube': {
      const url = `${mirrors.kubernetes}/${kubernetesVersion}/bin/${os}/${arch}/${name}`;
      return { url, checksum: { kind: 'file', url: `${url}.sha512` } };
    }
    case 'etcd': {
      const folder = `${mirrors.etcd}/${etcdVersion}`;
      const base = `etcd-${etcdVersion}-${os}-${arch}`;
      const fileName = `${base}.tar.gz`;
      return {
        url: `${folder}/${fileName}`,
        checksum: { kind: 'list', url: `${folder}/SHA256SUMS`, fileName },
        archived: `${base}/etcd`,
      };
    }
    case 'kwok': {
      const fileName = `kwok-${os}-${arch}`;
      return {
        url: `${mirrors.kwok}/${kwokVersion}/${fileName}`,
        checksum: { kind: 'release', url: `${mirrors.kwokReleases}/${kwokVersion}`, fileName },
      };
    }
  }
}
