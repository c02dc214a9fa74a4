import { createPrivateKey, X509Certificate } from 'node:crypto';

/** What is wrong with a PEM text of authorities. Some that cannot be read are passed over, as by kubectl, where another one can be. */
export function problemOfAuthorities(text: string): string | undefined {
  const begun = text.match(/-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----/g) ?? [];
  const whole = wholeCertificates(text);
  if (begun.length === 0) return 'there is no certificate';
  // Where one has no end, it may be the first half of a file that is being replaced.
  return begun.length === whole.length && whole.some(isCertificate)
    ? undefined
    : 'a certificate is unreadable';
}

/**
 * Those that can be read, each in lines of its own. OpenSSL reads none after one that it cannot read, or that begins in the last line of another.
 * Where none can be read it is the text as it is, with which nobody is trusted: an empty text would stand for the authorities of Node.
 */
export function readableAuthorities(text: string): string {
  const readable = wholeCertificates(text).filter(isCertificate);
  return readable.length === 0 ? text : readable.map((pem) => `${pem}\n`).join('');
}

/** How many of the certificates in a PEM text of authorities cannot be read, and are passed over. */
export function unreadableAuthorities(text: string): number {
  return wholeCertificates(text).filter((pem) => !isCertificate(pem)).length;
}

function wholeCertificates(text: string): readonly string[] {
  return text.match(/-----BEGIN ((?:TRUSTED |X509 )?CERTIFICATE)-----[^-]+-----END \1-----/g) ?? [];
}

/** What is wrong with a certificate and the key that should be its own. */
export function problemOfPair(certificate: string, key: string): string | undefined {
  if (!isCertificate(certificate)) return 'the certificate is unreadable';
  try {
    const same = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
    return same ? undefined : 'the key is not that of the certificate';
  } catch {
    return 'the key is unreadable';
  }
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}
