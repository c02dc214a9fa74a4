// The certificate library's dependency injection asks for it, before the library itself.
import 'reflect-metadata';
import { generateKeyPairSync, KeyObject, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type Extension,
  type JsonName,
} from '@peculiar/x509';

export interface KeyAndCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface CertificateAuthority extends KeyAndCertificate {
  readonly name: string;
  readonly signingKey: webcrypto.CryptoKey;
}

export interface LeafRequest {
  /** The user name of a client certificate. */
  readonly commonName: string;
  /** The groups of a client certificate. */
  readonly organizations?: readonly string[];
  /** DNS names and IP addresses of a server certificate. */
  readonly hosts?: readonly string[];
  readonly usage: 'client' | 'server';
}

const dayMs = 24 * 60 * 60 * 1000;
const curve = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A self-signed authority (ECDSA P-256). Every plane has one of its own, so no plane trusts another's clients. */
export async function createCertificateAuthority(name: string): Promise<CertificateAuthority> {
  const keys = await generateKeys();
  const subject = distinguishedName(name, []);
  const certificatePem = await sign(subject, subject, keys.publicKey, keys.privateKey, [
    new BasicConstraintsExtension(true, undefined, true),
    new KeyUsagesExtension(
      KeyUsageFlags.digitalSignature | KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign,
      true,
    ),
  ]);
  return { name, certificatePem, keyPem: pemOf(keys.privateKey), signingKey: keys.privateKey };
}

export async function issueCertificate(
  authority: CertificateAuthority,
  request: LeafRequest,
): Promise<KeyAndCertificate> {
  const keys = await generateKeys();
  const usage = request.usage === 'server' ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth;
  const extensions: Extension[] = [
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([usage]),
  ];
  if (request.hosts !== undefined) {
    const names = request.hosts.map((value) => ({
      type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const),
      value,
    }));
    extensions.push(new SubjectAlternativeNameExtension(names));
  }
  const certificatePem = await sign(
    distinguishedName(authority.name, []),
    distinguishedName(request.commonName, request.organizations ?? []),
    keys.publicKey,
    authority.signingKey,
    extensions,
  );
  return { certificatePem, keyPem: pemOf(keys.privateKey) };
}

/** A key pair that signs ServiceAccount tokens. */
export function createSigningKey(): { readonly publicPem: string; readonly keyPem: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(curve, true, ['sign', 'verify']);
}

async function sign(
  issuer: JsonName,
  subject: JsonName,
  publicKey: webcrypto.CryptoKey,
  signingKey: webcrypto.CryptoKey,
  extensions: Extension[],
): Promise<string> {
  const now = Date.now();
  const certificate = await X509CertificateGenerator.create({
    issuer,
    subject,
    // A day of grace backwards: the clock may be set while a plane is up.
    notBefore: new Date(now - dayMs),
    notAfter: new Date(now + 365 * dayMs),
    publicKey,
    signingKey,
    signingAlgorithm: curve,
    extensions,
  });
  return `${certificate.toString('pem')}\n`;
}

function distinguishedName(commonName: string, organizations: readonly string[]): JsonName {
  return [...organizations.map((organization) => ({ O: [organization] })), { CN: [commonName] }];
}

function pemOf(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}
