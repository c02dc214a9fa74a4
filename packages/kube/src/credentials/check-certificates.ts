import { createPrivateKey, X509Certificate } from 'node:crypto';

/** What is wrong with a PEM text of authorities. OpenSSL passes over what it cannot read, and then trusts nobody. */
export function problemOfAuthorities(text: string): string | undefined {
  const begun = text.match(/-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----/g) ?? [];
  const whole = text.match(/-----BEGIN ((?:TRUSTED |X509 )?CERTIFICATE)-----[^-]+-----END \1-----/g) ?? [];
  if (begun.length === 0) return 'there is no certificate';
  return begun.length === whole.length && whole.every(isCertificate)
    ? undefined
    : 'a certificate is unreadable';
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
