import { generateKeyPairSync } from 'node:crypto';

/** A key pair that signs ServiceAccount tokens. */
export function createSigningKey(): { readonly publicPem: string; readonly keyPem: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
