/** The address cannot be used; the message has the cause, for the author of the flag. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/** What a server listens on: `host:port`, `[v6]:port`, or `:port` for all addresses. Throws an {@link AddressError}. */
export function parseAddress(address: string): { readonly host: string | undefined; readonly port: number } {
  const [, v6, host, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):([0-9]+)$/.exec(address) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw new AddressError(
      `invalid address ${JSON.stringify(address)}: expected host:port like 127.0.0.1:8081, or :8081 for all addresses`,
    );
  }
  const named = v6 ?? host;
  return { host: named === '' ? undefined : named, port };
}
