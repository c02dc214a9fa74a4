import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheDirectory, type Environment } from './cache-directory.ts';
import { obtainBinaries } from './obtain-binaries.ts';
import { platformOf } from './release.ts';
import { startReleaseServer, type ReleaseServer } from './release-server.ts';
import { binaryNames, etcdVersion, kubernetesVersion, kwokVersion } from './versions.ts';

const arch = platformOf('linux', process.arch)?.arch ?? '';
const etcdFolder = `etcd-${etcdVersion}-linux-${arch}`;

describe.runIf(process.platform === 'linux' && arch !== '')('obtaining the binaries', () => {
  let folder: string;
  let base: Environment;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'atoll-obtain-'));
    // No PATH, so that no Go is found: these tests build nothing.
    base = { XDG_CACHE_HOME: join(folder, 'cache'), PATH: join(folder, 'bin') };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function published(): Map<string, Buffer | string> {
    const files = new Map<string, Buffer | string>();
    for (const name of binaryNames) {
      if (!name.startsWith('kube')) continue;
      const path = `/kubernetes/${kubernetesVersion}/bin/linux/${arch}/${name}`;
      files.set(path, `this is ${name}`);
      files.set(`${path}.sha512`, hash('sha512', `this is ${name}`));
    }
    const archive = etcdArchive();
    files.set(`/etcd/${etcdVersion}/${etcdFolder}.tar.gz`, archive);
    files.set(`/etcd/${etcdVersion}/SHA256SUMS`, `${hash('sha256', archive)}  ${etcdFolder}.tar.gz\n`);
    files.set(`/kwok/${kwokVersion}/kwok-linux-${arch}`, 'this is kwok');
    const digest = `sha256:${hash('sha256', 'this is kwok')}`;
    files.set(
      `/releases/${kwokVersion}`,
      JSON.stringify({ assets: [{ name: `kwok-linux-${arch}`, digest }] }),
    );
    return files;
  }

  function etcdArchive(): Buffer {
    const content = join(folder, 'archive');
    mkdirSync(join(content, etcdFolder), { recursive: true });
    writeFileSync(join(content, etcdFolder, 'etcd'), 'this is etcd');
    return gzipSync(execFileSync('tar', ['-C', content, '-cf', '-', etcdFolder]));
  }

  function mirrored(server: Pick<ReleaseServer, 'url'>): Environment {
    return {
      ...base,
      ATOLL_MIRROR_KUBERNETES: `${server.url}/kubernetes`,
      ATOLL_MIRROR_ETCD: `${server.url}/etcd/`,
      ATOLL_MIRROR_KWOK: `${server.url}/kwok`,
      ATOLL_MIRROR_KWOK_RELEASES: `${server.url}/releases`,
    };
  }

  it('downloads what is published, verified and executable, and asks once', async () => {
    await using server = await startReleaseServer(published());
    const environment = mirrored(server);
    const paths = await obtainBinaries({ environment });
    for (const name of binaryNames) {
      expect(readFileSync(paths[name], 'utf8')).toBe(`this is ${name}`);
      expect(statSync(paths[name]).mode & 0o111).toBe(0o111);
    }
    const asked = server.asked.length;
    expect(await obtainBinaries({ environment })).toEqual(paths);
    expect(server.asked.length).toBe(asked);
  });

  it.each([
    ['kube-apiserver', `/kubernetes/${kubernetesVersion}/bin/linux/${arch}/kube-apiserver`],
    ['etcd', `/etcd/${etcdVersion}/${etcdFolder}.tar.gz`],
    ['kwok', `/kwok/${kwokVersion}/kwok-linux-${arch}`],
  ] as const)('refuses %s when it is not what was published', async (name, path) => {
    const files = published();
    files.set(path, 'something else');
    await using server = await startReleaseServer(files);
    const environment = mirrored(server);
    await expect(obtainBinaries({ environment })).rejects.toThrow(
      `refusing ${name} from ${server.url}${path}: its checksum is not the published one`,
    );
    expect(existsSync(join(cacheDirectory(environment), name))).toBe(false);
  });

  it('takes no binary without a published checksum', async () => {
    const files = published();
    files.set(`/etcd/${etcdVersion}/SHA256SUMS`, 'nothing of use\n');
    await using server = await startReleaseServer(files);
    await expect(obtainBinaries({ environment: mirrored(server) })).rejects.toThrow(
      'names no checksum for etcd',
    );
  });

  it('says in one sentence what is missing, why, and what helps', async () => {
    const environment = mirrored({ url: `http://127.0.0.1:${await closedPort()}` });
    await expect(obtainBinaries({ environment })).rejects.toThrow(
      /^no etcd, kwok, .*kubectl: cannot download http:.*ECONNREFUSED.*, and it cannot be built because there is no Go tool chain on PATH\. Set KUBEBUILDER_ASSETS/,
    );
  });

  it('prefers what the environment names, binary by binary', async () => {
    await using server = await startReleaseServer(published());
    const own = join(folder, 'my-etcd');
    writeFileSync(own, '', { mode: 0o755 });
    const paths = await obtainBinaries({ environment: { ...mirrored(server), TEST_ASSET_ETCD: own } });
    expect(paths.etcd).toBe(own);
    expect(paths.kwok).toBe(join(cacheDirectory(base), 'kwok'));
    expect(server.asked.some((path) => path.startsWith('/etcd'))).toBe(false);
  });

  it('can be interrupted while a server is silent', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const controller = new AbortController();
    silent.once('connection', () => controller.abort(new Error('enough')));
    const environment = mirrored({ url: `http://127.0.0.1:${address.port}` });
    await expect(obtainBinaries({ environment, signal: controller.signal })).rejects.toThrow('enough');
    silent.close();
  });
});

function hash(algorithm: string, content: Buffer | string): string {
  return createHash(algorithm).update(content).digest('hex');
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
