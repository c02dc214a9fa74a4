import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  createCertificateAuthority,
  createSigningKey,
  issueCertificate,
  type CertificateAuthority,
} from '../certificates/certificate.ts';
import { kubeconfigOf, type KubeconfigUser } from './kubeconfig.ts';

/** The folder of one plane: its keys, kubeconfigs, configuration and logs. */
export class PlaneFiles {
  readonly directory: string;
  readonly #authority: CertificateAuthority;

  constructor(directory: string) {
    this.directory = directory;
    this.#authority = createCertificateAuthority('atoll-testbed');
    const serving = issueCertificate(this.#authority, {
      // Not the authority's name: a certificate that names itself as issuer counts as self-signed.
      commonName: 'kubernetes',
      hosts: ['127.0.0.1', 'localhost', 'kubernetes.default.svc'],
      usage: 'server',
    });
    const signing = createSigningKey();
    this.write('ca.crt', this.#authority.certificatePem);
    this.write('serving.crt', serving.certificatePem);
    this.write('serving.key', serving.keyPem);
    this.write('service-account.pub', signing.publicPem);
    this.write('service-account.key', signing.keyPem);
  }

  get caPem(): string {
    return this.#authority.certificatePem;
  }

  path(name: string): string {
    return resolve(this.directory, name);
  }

  /** Readable by this user only: most of these files are secrets. An absolute name lies elsewhere. Yields the path. */
  write(name: string, content: string): string {
    const file = this.path(name);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  }

  writeKubeconfig(name: string, url: string, user: KubeconfigUser): string {
    return this.write(name, kubeconfigOf(url, this.caPem, user));
  }

  /** A member of system:masters: for the plane's own programs and the administrator, not for what is under test. */
  issueMaster(name: string): KubeconfigUser {
    const pair = issueCertificate(this.#authority, {
      commonName: name,
      organizations: ['system:masters'],
      usage: 'client',
    });
    return { name, ...pair };
  }
}
