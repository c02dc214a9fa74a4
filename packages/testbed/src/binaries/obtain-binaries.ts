import { join } from 'node:path';
import type { BinaryName, BinaryPaths } from '../control-plane/options.ts';
import { assetOf, assetVariable, isExecutable } from './assets.ts';
import { withLock } from './build-lock.ts';
import { cacheDirectory, folderOf, type Environment } from './cache-directory.ts';
import { ChecksumMismatch, download } from './download.ts';
import { formatElapsed } from './format-elapsed.ts';
import { goBuild } from './go-build.ts';
import { mirrorsOf, platformOf, releaseOf } from './release.ts';
import { binaryNames, kubernetesVersionOf } from './versions.ts';

/** The options of {@link obtainBinaries}. */
export interface ObtainOptions {
  /** Default: this process's. */
  readonly environment?: Environment;
  readonly onProgress?: (message: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * The paths of all binaries: from `TEST_ASSET_<NAME>`, the folder `KUBEBUILDER_ASSETS`, the cache, a verified
 * download, or a Go build; the first that has it. Rejects with one sentence where nothing has.
 */
export async function obtainBinaries(options: ObtainOptions = {}): Promise<BinaryPaths> {
  const environment = options.environment ?? process.env;
  const cache = cacheDirectory(environment);
  const missing = missingOf(environment);
  if (missing.length > 0) {
    const begun = Date.now();
    const onWait = (holder: number, waited: number): void =>
      options.onProgress?.(
        `process ${holder} is getting the binaries; waiting for it, ${formatElapsed(waited)}`,
      );
    const { signal } = options;
    const lock = { onWait, ...(signal === undefined ? {} : { signal }) };
    await withLock(join(cache, 'lock'), async () => fill(environment, options), lock);
    options.onProgress?.(`all binaries are in ${cache} after ${formatElapsed(Date.now() - begun)}`);
  }
  const paths = binaryNames.map((name) => [
    name,
    locate(name, environment) ?? join(folderOf(name, environment), name),
  ]);
  return Object.fromEntries(paths) as Record<BinaryName, string>;
}

/** Asks again what is missing: while this process waited, another may have got it. */
async function fill(environment: Environment, options: ObtainOptions): Promise<void> {
  const missing = missingOf(environment);
  if (missing.length === 0) return;
  const notDownloaded = await downloadAll(missing, environment, options);
  if (notDownloaded === undefined) return;
  const toBuild = missingOf(environment);
  options.onProgress?.(`${notDownloaded.message}; building from source instead`);
  try {
    const { onProgress, signal } = options;
    await goBuild({
      names: toBuild,
      environment,
      ...(onProgress === undefined ? {} : { onProgress }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `no ${toBuild.join(', ')}: ${notDownloaded.message}, and it cannot be built because ${why}. ` +
        `Set KUBEBUILDER_ASSETS to a folder that holds the binaries, or ${assetVariable(toBuild[0] ?? 'etcd')} to one of them.`,
      { cause: error },
    );
  }
}

/** Yields why a download failed, or undefined where all are there. The first failure ends the attempt: it is quick. */
async function downloadAll(
  missing: readonly BinaryName[],
  environment: Environment,
  { onProgress, signal }: ObtainOptions,
): Promise<Error | undefined> {
  const platform = platformOf(process.platform, process.arch);
  if (platform === undefined)
    return new Error(`nothing is published for ${process.platform} on ${process.arch}`);
  const mirrors = mirrorsOf(environment);
  for (const name of missing) {
    try {
      await download(name, releaseOf(name, platform, mirrors, kubernetesVersionOf(environment)), {
        target: folderOf(name, environment),
        ...(onProgress === undefined ? {} : { onProgress }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ChecksumMismatch) throw error;
      return error instanceof Error ? error : new Error(String(error));
    }
  }
  return undefined;
}

function missingOf(environment: Environment): BinaryName[] {
  return binaryNames.filter((name) => locate(name, environment) === undefined);
}

function locate(name: BinaryName, environment: Environment): string | undefined {
  const asset = assetOf(name, environment);
  if (asset !== undefined) return asset;
  const cached = join(folderOf(name, environment), name);
  return isExecutable(cached) ? cached : undefined;
}
