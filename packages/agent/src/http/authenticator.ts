import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Logger } from '@atoll/kube';
import { mostFlagFileBytes } from '../flag-files.ts';
import { readRegularFile } from '../regular-file.ts';

/** Who may call; undefined for those that may not. */
export type Authenticator = (request: IncomingMessage) => Promise<string | undefined>;

/** Everybody who can connect: for the loopback address and the unix socket. */
export function trustConnection(name: string): Authenticator {
  return async () => name;
}

/**
 * The bearer of the token in the file, which is read at each request so that it can be replaced. A file that is empty or
 * cannot be read lets nobody in.
 */
export function trustToken(file: string, logger: Logger): Authenticator {
  return async (request) => {
    const given = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (given === undefined) return undefined;
    try {
      const expected = (await readRegularFile(file, mostFlagFileBytes)).trim();
      if (expected === '') logger.error({ file }, 'the token file is empty; nobody is let in');
      return isSame(given, expected) ? 'token' : undefined;
    } catch (error) {
      logger.error({ err: error, file }, 'the token file cannot be read; nobody is let in');
      return undefined;
    }
  };
}

/** Holders of a certificate that the client authority has signed. */
export const trustCertificate: Authenticator = async ({ socket }) => {
  const connection = socket as TLSSocket;
  if (!connection.authorized) return undefined;
  const name = connection.getPeerCertificate().subject?.CN;
  return `certificate ${Array.isArray(name) ? name.join(',') : (name ?? '(no common name)')}`;
};

/** A caller whom one of them accepts. */
export function anyOf(authenticators: readonly Authenticator[]): Authenticator {
  return async (request) => {
    for (const authenticate of authenticators) {
      const name = await authenticate(request);
      if (name !== undefined) return name;
    }
    return undefined;
  };
}

/** In a time that does not depend on what is the same. */
function isSame(one: string, other: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}
