import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  createCertificateAuthority,
  issueCertificate,
  type CertificateAuthority,
} from '@atoll/kube/certificates';
import { createSigningKey } from '../certificates/signing-key.ts';
import { kubeconfigOf, type KubeconfigUser } from './kubeconfig.ts';

/** The folder of one control plane: its keys, kubeconfigs, configuration and logs. */
export class ControlPlaneFiles {
  readonly directory: string;
  readonly #authority: CertificateAuthority;

  private constructor(directory: string, authority: CertificateAuthority) {
    this.directory = directory;
    this.#authority = authority;
  }

  /** Makes the control plane's own authority, serving certificate and signing key. */
  static async create(directory: string): Promise<ControlPlaneFiles> {
    // Every control plane has an authority of its own, so no control plane trusts another's clients.
    const authority = await createCertificateAuthority('atoll-testbed');
    const files = new ControlPlaneFiles(directory, authority);
    const serving = await issueCertificate(authority, {
      // Not the authority's name: a certificate that names itself as issuer counts as self-signed.
      commonName: 'kubernetes',
      hosts: ['127.0.0.1', 'localhost', 'kubernetes.default.svc'],
      usage: 'server',
    });
    const signing = createSigningKey();
    files.write('ca.crt', authority.certificatePem);
    files.write('serving.crt', serving.certificatePem);
    files.write('serving.key', serving.keyPem);
    files.write('service-account.pub', signing.publicPem);
    files.write('service-account.key', signing.keyPem);
    return files;
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

  /** A member of system:masters: for the control plane's own programs and the administrator, not for what is under test. */
  async issueMaster(name: string): Promise<KubeconfigUser> {
    const pair = await issueCertificate(this.#authority, {
      commonName: name,
      organizations: ['system:masters'],
      usage: 'client',
    });
    return { name, ...pair };
  }
}
