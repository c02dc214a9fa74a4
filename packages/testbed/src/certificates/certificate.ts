import { createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { isIPv4 } from 'node:net';
import {
  derBitString,
  derBoolean,
  derExplicit,
  derImplicit,
  derInteger,
  derObjectIdentifier,
  derOctetString,
  derSequence,
  derSet,
  derUtcTime,
  derUtf8String,
} from './der.ts';

export interface KeyAndCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface CertificateAuthority extends KeyAndCertificate {
  readonly name: string;
}

export interface LeafRequest {
  /** The user name of a client certificate. */
  readonly commonName: string;
  /** The groups of a client certificate. */
  readonly organizations?: readonly string[];
  /** DNS names and IPv4 addresses of a server certificate. */
  readonly hosts?: readonly string[];
  readonly usage: 'client' | 'server';
}

const dayMs = 24 * 60 * 60 * 1000;
const ecdsaWithSha256 = derSequence(derObjectIdentifier('1.2.840.10045.4.3.2'));

/** A self-signed authority (ECDSA P-256). Every plane has one of its own, so no plane trusts another's clients. */
export function createCertificateAuthority(name: string): CertificateAuthority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certificatePem = sign({
    issuer: distinguishedName(name, []),
    subject: distinguishedName(name, []),
    publicKey,
    signer: privateKey,
    extensions: [
      // basicConstraints: CA; keyUsage: digitalSignature, keyCertSign, cRLSign
      extension('2.5.29.19', true, derSequence(derBoolean(true))),
      extension('2.5.29.15', true, derBitString(Buffer.of(0b1000_0110), 1)),
    ],
  });
  return { name, certificatePem, keyPem: pemOf(privateKey) };
}

export function issueCertificate(authority: CertificateAuthority, request: LeafRequest): KeyAndCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const extendedUsage = request.usage === 'server' ? '1.3.6.1.5.5.7.3.1' : '1.3.6.1.5.5.7.3.2';
  const extensions = [
    extension('2.5.29.15', true, derBitString(Buffer.of(0b1000_0000), 7)),
    extension('2.5.29.37', false, derSequence(derObjectIdentifier(extendedUsage))),
  ];
  if (request.hosts !== undefined) {
    extensions.push(extension('2.5.29.17', false, derSequence(...request.hosts.map(generalName))));
  }
  const certificatePem = sign({
    issuer: distinguishedName(authority.name, []),
    subject: distinguishedName(request.commonName, request.organizations ?? []),
    publicKey,
    signer: authority.keyPem,
    extensions,
  });
  return { certificatePem, keyPem: pemOf(privateKey) };
}

/** A key pair that signs ServiceAccount tokens. */
export function createSigningKey(): { readonly publicPem: string; readonly keyPem: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    keyPem: pemOf(privateKey),
  };
}

interface Signing {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject | string;
  readonly extensions: readonly Buffer[];
}

function sign({ issuer, subject, publicKey, signer, extensions }: Signing): string {
  const now = Date.now();
  const body = derSequence(
    derExplicit(0, derInteger(Buffer.of(2))),
    derInteger(randomBytes(16)),
    ecdsaWithSha256,
    issuer,
    // A day of grace backwards: the clock may be set while a plane is up.
    derSequence(derUtcTime(new Date(now - dayMs)), derUtcTime(new Date(now + 365 * dayMs))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    derExplicit(3, derSequence(...extensions)),
  );
  const signature = createSign('sha256').update(body).sign(signer);
  const der = derSequence(body, ecdsaWithSha256, derBitString(signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  const attribute = (type: string, value: string): Buffer =>
    derSet(derSequence(derObjectIdentifier(type), derUtf8String(value)));
  return derSequence(
    ...organizations.map((organization) => attribute('2.5.4.10', organization)),
    attribute('2.5.4.3', commonName),
  );
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [derBoolean(true)] : [];
  return derSequence(derObjectIdentifier(id), ...flag, derOctetString(value));
}

function generalName(host: string): Buffer {
  if (isIPv4(host)) return derImplicit(7, Buffer.from(host.split('.').map(Number)));
  return derImplicit(2, Buffer.from(host, 'ascii'));
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'sec1', format: 'pem' }).toString();
}
