import { isIP } from 'node:net';
import tls, { type ConnectionOptions, type SecureContext } from 'node:tls';
import type { Dispatcher } from 'undici';
import type { TlsMaterial } from '../credentials/authenticator.ts';
import { readableAuthorities } from '../credentials/check-certificates.ts';
import type { ClusterAccess } from '../credentials/cluster-access.ts';
import { loadProxyAgent, Pool } from './undici.ts';

/**
 * Requests of different urgency never wait for each other's sockets: a big list cannot delay the renewal of a
 * lease, and watches, which hold a socket for minutes each, cannot starve requests.
 */
export type Lane = 'requests' | 'watches' | 'leases';

/** Sockets per lane, the most that are ever open at the same time; `Infinity`: as many as are needed. */
export type SocketLimits = Readonly<Record<Lane, number>>;

/** Shorter than the 60–90 s after which API servers and load balancers close idle connections, so that we close first. */
const IDLE_SOCKET_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** The kernel probes a silent peer after this; a dead one is noticed 10 s later (libuv: ten probes, a second apart). */
const TCP_KEEPALIVE_MS = 15_000;

/**
 * A socket of a watch is read no further than its stream is: what nobody asks for yet stays with the kernel, where it costs
 * nothing and comes together (see `gathering.ts`).
 */
const watchBuffer = { highWaterMark: 1 };

/** The sockets of one lane towards one API server, with one set of certificates. */
export function openConnections(
  access: ClusterAccess,
  material: TlsMaterial,
  lane: Lane,
  sockets: number,
): Dispatcher {
  const requestTls = {
    ...(lane === 'watches' ? watchBuffer : {}),
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEPALIVE_MS,
    rejectUnauthorized: !access.insecureSkipTlsVerify,
    ...serverName(access),
    // Made once: each connection would read all authorities again.
    secureContext: tls.createSecureContext({
      ...authorities(access, material),
      ...(material.certificate === undefined ? {} : { cert: material.certificate }),
      ...(material.key === undefined ? {} : { key: material.key }),
    }),
  };
  const options = {
    connections: Number.isFinite(sockets) ? sockets : null,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: IDLE_SOCKET_MS,
    keepAliveMaxTimeout: IDLE_SOCKET_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Our own timers end requests; a watch may be silent for as long as its reflector allows.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (access.proxyUrl === undefined) return new Pool(originOf(access), { ...options, connect: requestTls });
  const ProxyAgent = loadProxyAgent();
  return new ProxyAgent({
    ...options,
    ...socksUser(access.proxyUrl),
    ...proxyAuthorities(access.proxyUrl),
    uri: access.proxyUrl,
    requestTls,
  });
}

/** A proxy that is reached by TLS mostly has a certificate of a company's own authority. */
function proxyAuthorities(proxyUrl: string): {
  readonly proxyTls?: { readonly secureContext: SecureContext };
} {
  const ofSystem = systemAuthorities(proxyUrl);
  return ofSystem.ca === undefined ? {} : { proxyTls: { secureContext: tls.createSecureContext(ofSystem) } };
}

/** TLS cannot ask for an address (RFC 6066), and Node warns where it is to: then the certificate is compared with it, and the URL's host is asked for. */
function serverName({
  tlsServerName: name,
}: ClusterAccess): Pick<ConnectionOptions, 'servername' | 'checkServerIdentity'> {
  if (name === undefined) return {};
  if (isIP(name) === 0) return { servername: name };
  return { checkServerIdentity: (_, certificate) => tls.checkServerIdentity(name, certificate) };
}

interface Authorities {
  readonly ca?: string | string[];
}

function authorities({ server, insecureSkipTlsVerify }: ClusterAccess, { ca }: TlsMaterial): Authorities {
  if (ca !== undefined) return { ca: readableAuthorities(ca) };
  return insecureSkipTlsVerify ? {} : systemAuthorities(server);
}

/**
 * Without authorities of its own a connection trusts also those of the system, as kubectl does: that of a company is there, and not among
 * those that Node brings. To read them costs 50 ms, which a connection that does not need them is spared.
 */
function systemAuthorities(url: string): Authorities {
  // Since Node 22.15 and 23.10.
  if (new URL(url).protocol !== 'https:' || !('getCACertificates' in tls)) return {};
  const all = [...tls.getCACertificates('default'), ...tls.getCACertificates('system')];
  // Most are among both, in lines of other lengths.
  return { ca: [...new Map(all.map((pem) => [pem.replaceAll(/\s/g, ''), pem])).values()] };
}

/** Of a SOCKS proxy undici takes both as the URL spells them, where they are not given apart. */
function socksUser(proxyUrl: string): object {
  const { protocol, username, password } = new URL(proxyUrl);
  if (protocol !== 'socks5:' || username === '') return {};
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

export function originOf(access: ClusterAccess): string {
  return new URL(access.server).origin;
}
