import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { identifyProcess, isRunning } from '../supervisor/process-identity.ts';
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
    base = { XDG_CACHE_HOME: join(folder, 'cache'), PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
    // Too old, so that nothing is built where a test does not change it.
    provideGo('echo go1.21.3');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function provideGo(script: string): void {
    mkdirSync(join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'bin', 'go'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

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

  it('reports in one sentence what is missing, why, and what helps', async () => {
    const environment = mirrored({ url: `http://127.0.0.1:${await closedPort()}` });
    await expect(obtainBinaries({ environment })).rejects.toThrow(
      /^no etcd, kwok, .*kubectl: cannot download http:.*ECONNREFUSED.*, and it cannot be built because Go 1\.26 or later is needed, and .*bin\/go is go1\.21\.3\. Set KUBEBUILDER_ASSETS/,
    );
  });

  it('builds what cannot be downloaded, reports how far it is, and keeps what was finished', async () => {
    const environment = mirrored({ url: `http://127.0.0.1:${await closedPort()}` });
    // Takes the file after -o from the arguments; fails from the third program on.
    provideGo(`[ "$1" = env ] && { echo go1.26.8; exit; }
while [ "$1" != -o ]; do shift; done
case "$2" in */kube-*) echo "k8s.io/a: no such thing" >&2; exit 1;; esac
echo built > "$2"; chmod +x "$2"`);
    const progress: string[] = [];
    await expect(obtainBinaries({ environment, onProgress: (text) => progress.push(text) })).rejects.toThrow(
      /the Go build of kube-apiserver failed \(exit code 1\):\nk8s\.io\/a: no such thing/,
    );
    // On a busy machine this takes seconds, and each is reported.
    const steps = progress.flatMap((text) => /^(building .+), \d+ s$/.exec(text)?.[1] ?? []);
    expect([...new Set(steps)]).toEqual([
      'building etcd (1 of 6)',
      'building kwok (2 of 6)',
      'building kube-apiserver (3 of 6)',
    ]);
    expect(readdirSync(cacheDirectory(environment)).toSorted()).toEqual(['etcd', 'kwok']);

    provideGo(`[ "$1" = env ] && { echo go1.26.8; exit; }
while [ "$1" != -o ]; do shift; done
echo built again > "$2"; chmod +x "$2"`);
    const paths = await obtainBinaries({ environment });
    expect(readFileSync(paths.etcd, 'utf8')).toBe('built\n');
    expect(readFileSync(paths.kubectl, 'utf8')).toBe('built again\n');
  });

  it('ends a build that is interrupted, with all that it started', async () => {
    const environment = mirrored({ url: `http://127.0.0.1:${await closedPort()}` });
    const started = join(folder, 'started');
    provideGo(`[ "$1" = env ] && { echo go1.26.8; exit; }
sleep 300 &
echo $! > ${started}.new; mv ${started}.new ${started}
wait`);
    const controller = new AbortController();
    const done = obtainBinaries({ environment, signal: controller.signal });
    await vi.waitUntil(() => existsSync(started), { timeout: 60_000 });
    const compiler = identifyProcess(Number(readFileSync(started, 'utf8')));
    controller.abort(new Error('enough'));
    await expect(done).rejects.toThrow('enough');
    if (compiler === undefined) throw new Error('the program that stands for a compiler did not run');
    await vi.waitUntil(() => !isRunning(compiler), { timeout: 60_000 });
    expect(readdirSync(cacheDirectory(environment))).toEqual([]);
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
