import { isIP } from 'node:net';
import { CredentialError } from './credential-error.ts';
import { withoutPassword } from './without-password.ts';

/** What may name a proxy, for people. */
export const proxyUrls = 'a URL that begins with http://, https:// or socks5://';

/** Whether a proxy can be reached by the URL. */
export function isProxyUrl(url: string): boolean {
  return ['http:', 'https:', 'socks5:'].includes(URL.parse(url)?.protocol ?? '');
}

/**
 * The proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name for a server, by the rules of Go's `httpproxy`: the lower
 * case form is the second choice, loopback is never proxied, NO_PROXY lists hosts, `.domains`, `host:port` and `*`.
 * Throws a {@link CredentialError} where the proxy is no URL.
 */
export function proxyFromEnvironment(
  server: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const variable = (name: string): string | undefined =>
    environment[name] || environment[name.toLowerCase()] || undefined;
  const { protocol, hostname, port } = new URL(server);
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = variable(name);
  if (proxy === undefined) return undefined;
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.')))
    return undefined;
  const effectivePort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  const excluded = (variable('NO_PROXY') ?? '')
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
  if (excluded.some((entry) => excludes(entry, host, effectivePort))) return undefined;
  const url = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (isProxyUrl(url)) return url;
  throw new CredentialError(`${name}: ${JSON.stringify(withoutPassword(proxy))}; allowed: ${proxyUrls}`);
}

function excludes(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isIP(host) === 4 && inIpv4Range(host, entry);
  const [name = '', entryPort] = entry.split(':').length === 2 ? entry.split(':') : [entry];
  if (entryPort !== undefined && entryPort !== port) return false;
  const domain = name.replace(/^\*?\./, '');
  // `.example.com` means hosts below it only; `example.com` means the host itself as well.
  return host.endsWith(`.${domain}`) || (host === domain && !name.startsWith('.') && !name.startsWith('*.'));
}

function inIpv4Range(address: string, range: string): boolean {
  const [base = '', bits = ''] = range.split('/');
  if (isIP(base) !== 4) return false;
  const toNumber = (ip: string): number => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(bits));
  return Math.floor(toNumber(address) / size) === Math.floor(toNumber(base) / size);
}
