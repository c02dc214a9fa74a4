import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { KeyAndCertificate } from './certificate.ts';
import { trustBundle, type Certificates } from './certificate-life.ts';

/** The keys under which a Secret holds them; the first two are those of every `kubernetes.io/tls` Secret. */
const names = {
  serving: 'tls.crt',
  servingKey: 'tls.key',
  bundle: 'ca.crt',
  authorityKey: 'ca.key',
  nextKey: 'next-ca.key',
} as const;

type Data = Readonly<Record<string, string>>;

/** The `data` of a Secret. */
export function toSecretData(certificates: Certificates): Data {
  const { authority, next, serving } = certificates;
  const texts = {
    [names.serving]: serving.certificatePem,
    [names.servingKey]: serving.keyPem,
    [names.bundle]: trustBundle(certificates),
    [names.authorityKey]: authority.keyPem,
    ...(next === undefined ? {} : { [names.nextKey]: next.keyPem }),
  };
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
  );
}

/** The inverse of {@link toSecretData}. undefined: something is missing, unreadable, or does not belong together. */
export function fromSecretData(data: Data | undefined): Certificates | undefined {
  const text = (name: string): string => Buffer.from(data?.[name] ?? '', 'base64').toString('utf8');
  try {
    // A block that is not a certificate is trusted by nobody, and when it ends is not known.
    const bundle = splitPem(text(names.bundle)).filter(isCertificate);
    const authority = withKey(bundle, text(names.authorityKey));
    const serving = { certificatePem: text(names.serving), keyPem: text(names.servingKey) };
    // Both throw where it is not a certificate, or not a key.
    new X509Certificate(serving.certificatePem);
    createPrivateKey(serving.keyPem);
    if (authority === undefined) return undefined;
    const nextKey = text(names.nextKey);
    const next = nextKey === '' ? undefined : withKey(bundle, nextKey);
    const active = [authority.certificatePem, next?.certificatePem];
    return { authority, next, retired: bundle.filter((pem) => !active.includes(pem)), serving };
  } catch {
    return undefined;
  }
}

/** The certificates of a PEM text, one each. */
export function splitPem(text: string): readonly string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => `${block}\n`);
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

function withKey(bundle: readonly string[], keyPem: string): KeyAndCertificate | undefined {
  const key = createPrivateKey(keyPem);
  const certificatePem = bundle.find((pem) => new X509Certificate(pem).checkPrivateKey(key));
  return certificatePem === undefined ? undefined : { certificatePem, keyPem };
}
