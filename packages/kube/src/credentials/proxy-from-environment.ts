import { BlockList, isIP } from 'node:net';
import { CredentialError } from './credential-error.ts';
import { withoutPassword } from './without-password.ts';

/** What may name a proxy, for people. */
export const proxyUrls =
  'a URL that begins with http://, https:// or socks5://, with %25 for a % in its user and password';

/** Whether a proxy can be reached by the URL. */
export function isProxyUrl(url: string): boolean {
  const { protocol = '', username = '', password = '' } = URL.parse(url) ?? {};
  return ['http:', 'https:', 'socks5:'].includes(protocol) && isEncoded(username) && isEncoded(password);
}

function isEncoded(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

const loopback = ['127.0.0.0/8', '::1'];

/**
 * The proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name for a server, by the rules of Go's `httpproxy`: the lower
 * case form is the second choice, loopback is never proxied, NO_PROXY lists hosts, `.domains`, addresses, ranges of them, each but a range also with a
 * port, and `*`.
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
  if (host === 'localhost' || loopback.some((range) => excludes(range, host, ''))) return undefined;
  const effectivePort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  const excluded = (variable('NO_PROXY') ?? '')
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
  if (excluded.some((entry) => excludes(entry, host, effectivePort))) return undefined;
  // Go takes socks5 for socks5h: the proxy resolves the name of the server. So it is with undici, which has one name for it.
  const url = (proxy.includes('://') ? proxy : `http://${proxy}`).replace(/^socks5h:/i, 'socks5:');
  if (isProxyUrl(url)) return url;
  throw new CredentialError(`${name}: ${JSON.stringify(withoutPassword(proxy))}; allowed: ${proxyUrls}`);
}

function excludes(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const version = isIP(host);
  const range = rangeOf(entry);
  if (range !== undefined) return version !== 0 && range.check(host, familyOf(version));
  const [, bracketed, plain, only] = /^(?:\[([^\]]*)\]|([^:]*)):([^:]*)$/.exec(entry) ?? [];
  const name = bracketed ?? plain ?? entry;
  if (name === '' || ((only ?? '') !== '' && only !== port)) return false;
  if (isIP(name) !== 0) return version !== 0 && addressesOf(name).check(host, familyOf(version));
  const domain = name.replace(/^\*?\./, '');
  // `.example.com` means hosts below it only; `example.com` means the host itself as well.
  return host.endsWith(`.${domain}`) || (host === domain && !name.startsWith('.') && !name.startsWith('*.'));
}

/** Of 10.0.0.0/8 or fd00::/8; undefined where the text is no range. */
function rangeOf(entry: string): BlockList | undefined {
  const [, base = '', bits = ''] = /^([^/%]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const version = isIP(base);
  if (version === 0 || Number(bits) > (version === 4 ? 32 : 128)) return undefined;
  return addressesOf(base, Number(bits));
}

/** One address, in any of its spellings, or those that begin with the same bits. */
function addressesOf(address: string, bits?: number): BlockList {
  const family = familyOf(isIP(address));
  const addresses = new BlockList();
  if (bits === undefined) addresses.addAddress(address, family);
  else addresses.addSubnet(address, bits, family);
  return addresses;
}

function familyOf(version: number): 'ipv4' | 'ipv6' {
  return version === 4 ? 'ipv4' : 'ipv6';
}
