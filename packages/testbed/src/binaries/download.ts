import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { BinaryName } from '../control-plane/options.ts';
import { matchesChecksum, publishedChecksum } from './checksum.ts';
import type { Release } from './release.ts';
import { tarEntry } from './tar-entry.ts';

/** What was downloaded is not what was published. Never a reason to go on with something else. */
export class ChecksumMismatch extends Error {
  constructor(name: string, url: string) {
    super(`refusing ${name} from ${url}: its checksum is not the published one`);
    this.name = 'ChecksumMismatch';
  }
}

export interface DownloadOptions {
  readonly target: string;
  /** Milliseconds until the server must have begun to answer. Default 5,000. */
  readonly answerMs?: number;
  readonly onProgress?: (message: string) => void;
  readonly signal?: AbortSignal;
}

/** How long a transfer may stand still, in milliseconds. */
const stallMs = 30_000;

/** Downloads one binary, verifies it, and moves it to `target` under its name. */
export async function download(name: BinaryName, release: Release, options: DownloadOptions): Promise<void> {
  const answer = (await fetchAll(release.checksum.url, options)).toString('utf8');
  const published = publishedChecksum(release.checksum, answer);
  if (published === undefined) throw new Error(`${release.checksum.url} names no checksum for ${name}`);
  options.onProgress?.(`downloading ${name}`);
  const content = await fetchAll(release.url, options, (received, total) => {
    const share = total === undefined ? '' : ` of ${megabytes(total)}`;
    options.onProgress?.(`downloading ${name}, ${megabytes(received)}${share}`);
  });
  if (!matchesChecksum(content, published)) throw new ChecksumMismatch(name, release.url);
  const binary = release.archived === undefined ? content : tarEntry(gunzipSync(content), release.archived);
  if (binary === undefined) throw new Error(`${release.url} holds no ${release.archived}`);
  mkdirSync(options.target, { recursive: true });
  const partial = join(options.target, `.${name}.${process.pid}`);
  writeFileSync(partial, binary, { mode: 0o755 });
  renameSync(partial, join(options.target, name));
}

async function fetchAll(
  url: string,
  { signal, answerMs = 5000 }: DownloadOptions,
  onChunk?: (received: number, total: number | undefined) => void,
): Promise<Buffer> {
  const stalled = new AbortController();
  const giveUp = (): void => stalled.abort(new Error('no answer in time'));
  let timer = setTimeout(giveUp, answerMs);
  try {
    const signals = signal === undefined ? [stalled.signal] : [stalled.signal, signal];
    const response = await fetch(url, { signal: AbortSignal.any(signals) });
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    const total = Number(response.headers.get('content-length')) || undefined;
    const chunks: Uint8Array[] = [];
    let received = 0;
    let reportedAt = Date.now();
    for await (const chunk of response.body ?? []) {
      clearTimeout(timer);
      timer = setTimeout(giveUp, stallMs);
      chunks.push(chunk);
      received += chunk.length;
      if (Date.now() - reportedAt < 2000) continue;
      reportedAt = Date.now();
      onChunk?.(received, total);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`cannot download ${url}: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** The message of fetch is `fetch failed`; what happened is its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(0)} MB`;
}
