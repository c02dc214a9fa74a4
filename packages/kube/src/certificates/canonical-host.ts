import { isIP } from 'node:net';

/**
 * The one spelling of a DNS name or IP address: `2001:db8::a` for `2001:DB8:0:0:0:0:0:A`, and names in lower case. A
 * certificate holds addresses as bytes, so that what is read back is spelled in another way than what was asked for.
 */
export function canonicalHost(host: string): string {
  return isIP(host) === 6 ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host.toLowerCase();
}
