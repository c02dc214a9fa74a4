/** Text that is either given in place or read from a file, and read again when the file changes. */
export type TextSource =
  { readonly from: 'value'; readonly value: string } | { readonly from: 'file'; readonly path: string };

/** Who the API server shall take us for, beside our own credentials (kubectl's `--as`). */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A program that prints credentials (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
  /** The `config` of the cluster's `client.authentication.k8s.io/exec` extension, handed to the plugin. */
  readonly clusterConfig?: unknown;
}

/** How the API server identifies us, besides a client certificate. */
export type Authorization =
  | { readonly type: 'none' }
  | { readonly type: 'token'; readonly token: TextSource }
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | { readonly type: 'exec'; readonly plugin: ExecPlugin };

/** All that is needed to reach one cluster as one user: plain data, from the kubeconfig or the pod's service account. */
export interface ClusterAccess {
  /** Base URL of the API server, without a slash at its end. */
  readonly server: string;
  /** The namespace that the context, or the pod, names. */
  readonly namespace?: string;
  readonly certificateAuthority?: TextSource;
  readonly insecureSkipTlsVerify: boolean;
  /** The name that the server's certificate must carry, where it is not the URL's host. */
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
  readonly clientCertificate?: { readonly certificate: TextSource; readonly key: TextSource };
  readonly authorization: Authorization;
  readonly impersonate?: Impersonation;
}
