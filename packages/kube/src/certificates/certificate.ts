// The certificate library's dependency injection asks for it, before the library itself.
import 'reflect-metadata';
import { createPrivateKey, KeyObject, webcrypto, X509Certificate } from 'node:crypto';
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
import { canonicalHost } from './canonical-host.ts';
import { backdatedMs, type Validity } from './validity.ts';

/** A certificate and its private key, both PEM. */
export interface KeyAndCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** An authority that can sign. */
export interface CertificateAuthority extends KeyAndCertificate {
  readonly name: string;
  readonly signingKey: webcrypto.CryptoKey;
}

/** For whom a certificate is, and what it may be used for. */
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

/** A self-signed authority (ECDSA P-256) that may issue certificates of servers and clients, not of other authorities. */
export async function createCertificateAuthority(
  name: string,
  validity: Validity = {},
): Promise<CertificateAuthority> {
  const keys = await generateKeys();
  const subject = distinguishedName(name, []);
  const extensions = [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(
      KeyUsageFlags.digitalSignature | KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign,
      true,
    ),
  ];
  const certificatePem = await sign(subject, subject, keys.publicKey, keys.privateKey, extensions, validity);
  return { name, certificatePem, keyPem: pemOf(keys.privateKey), signingKey: keys.privateKey };
}

/** The authority again, as {@link createCertificateAuthority} made it. Rejects where the key is not the certificate's. */
export async function loadCertificateAuthority({
  certificatePem,
  keyPem,
}: KeyAndCertificate): Promise<CertificateAuthority> {
  const certificate = new X509Certificate(certificatePem);
  const key = createPrivateKey(keyPem);
  if (!certificate.checkPrivateKey(key)) {
    throw new Error(`the key is not that of the certificate of ${certificate.subject}`);
  }
  const der = key.export({ type: 'pkcs8', format: 'der' });
  const signingKey = await webcrypto.subtle.importKey('pkcs8', der, curve, true, ['sign']);
  const name = /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? certificate.subject;
  return { name, certificatePem, keyPem, signingKey };
}

/** A certificate of the authority, with a key of its own. Valid for `validity`, by default a year. */
export async function issueCertificate(
  authority: CertificateAuthority,
  request: LeafRequest,
  validity: Validity = {},
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
      // The certificate library misreads some other spellings.
      value: canonicalHost(value),
    }));
    extensions.push(new SubjectAlternativeNameExtension(names));
  }
  const certificatePem = await sign(
    distinguishedName(authority.name, []),
    distinguishedName(request.commonName, request.organizations ?? []),
    keys.publicKey,
    authority.signingKey,
    extensions,
    validity,
  );
  return { certificatePem, keyPem: pemOf(keys.privateKey) };
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
  { now = Date.now(), lifetimeMs = 365 * dayMs }: Validity,
): Promise<string> {
  const certificate = await X509CertificateGenerator.create({
    issuer,
    subject,
    notBefore: new Date(now - backdatedMs),
    notAfter: new Date(now + lifetimeMs),
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
