import { parseAddress } from '@atoll/kube';
import type { OperatorOptions } from './operator-options.ts';

interface GivenAddress {
  readonly flag: string;
  readonly address: string;
}

/** Two addresses of the command line of which only one can be served. */
export function samePort(options: OperatorOptions): readonly [GivenAddress, GivenAddress] | undefined {
  const given = [
    { flag: '--bind-address', address: options.bindAddress },
    { flag: '--metrics-bind-address', address: options.metricsBindAddress ?? '0' },
    { flag: '--webhook-bind-address', address: options.webhookBindAddress ?? '0' },
  ].filter(({ address }) => address !== '0');
  const pairs = given.flatMap((later, index) =>
    given.slice(0, index).map((earlier): [GivenAddress, GivenAddress] => [later, earlier]),
  );
  return pairs.find(([later, earlier]) => meet(parseAddress(later.address), parseAddress(earlier.address)));
}

type Address = ReturnType<typeof parseAddress>;

/** Port 0 is another one each time. */
function meet(one: Address, other: Address): boolean {
  if (one.port !== other.port || one.port === 0) return false;
  return one.host === other.host || one.host === undefined || other.host === undefined;
}

/** Where webhooks are served: `host:port`, or undefined for nowhere. `inCluster`: the Service leads to this process. */
export function webhookAddress(
  { webhookBindAddress }: Pick<OperatorOptions, 'webhookBindAddress'>,
  inCluster: boolean,
): string | undefined {
  const chosen = webhookBindAddress ?? (inCluster ? ':9443' : '0');
  return chosen === '0' ? undefined : chosen;
}

/**
 * Where metrics and debug pages are served over HTTPS: `host:port`, or undefined where they are beside health, in plain text. A token
 * travels in plain text only where nobody else can read it, or where that was asked for.
 */
export function metricsAddress(
  { bindAddress, metricsBindAddress }: Pick<OperatorOptions, 'bindAddress' | 'metricsBindAddress'>,
  inCluster: boolean,
): string | undefined {
  const reachable = inCluster && bindAddress !== '0' && !isLoopback(bindAddress);
  const chosen = metricsBindAddress ?? (reachable ? ':8443' : '0');
  return chosen === '0' ? undefined : chosen;
}

/** Whether metrics are shown to users of the cluster only. `servedAt`: their address, over HTTPS or not. */
export function metricsNeedToken(
  { metricsRequireToken }: Pick<OperatorOptions, 'metricsRequireToken'>,
  servedAt: string,
): boolean {
  return metricsRequireToken ?? !isLoopback(servedAt);
}

/** A host name counts as reachable from elsewhere, but for `localhost`. */
function isLoopback(address: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]):\d+$/.test(address);
}
