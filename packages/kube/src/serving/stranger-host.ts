import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { parseAddress } from './address.ts';

type Bound = Pick<ReturnType<typeof parseAddress>, 'host'>;

const everyAddress: ReadonlySet<string | undefined> = new Set([undefined, '0.0.0.0', '::']);

/**
 * Whether a request to a server that only this machine reaches is of a web page: a page may let its name lead to the loopback address (DNS
 * rebinding), and its browser then shows it what the server answers. For servers that ask for no credentials.
 */
export function isRebound({ headers, socket }: IncomingMessage, { host: own }: Bound): boolean {
  if (everyAddress.has(own) || !isLoopback(socket.localAddress ?? '')) return false;
  return isStrangerHost(headers.host, own);
}

/** The text of the answer, 421, to a request that {@link isRebound}. */
export const whyRebound =
  'the header Host is a name that a web page may have: ask for an IP address, like 127.0.0.1, or for localhost';

function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(address);
}

/**
 * Whether the header Host names neither an IP address, which no page can let lead elsewhere, nor `localhost`, nor the server's own name. Programs may send
 * none, browsers always do.
 */
export function isStrangerHost(host: string | undefined, own: string | undefined): boolean {
  if (host === undefined) return false;
  const [, v6, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.toLowerCase()) ?? [];
  if (v6 !== undefined) return isIP(v6) === 0;
  return name !== 'localhost' && name !== own?.toLowerCase() && isIP(name) === 0;
}
