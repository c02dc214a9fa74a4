// The images as far as they can be shown without an engine that builds them: what a Dockerfile copies, in a folder of its own, run by Node.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { nodePools, operatorNames } from '@atoll/api';
import { createClient, loadKubeconfig } from '@atoll/kube';
import { install } from '@atoll/operator/install';
import { runOperator, startControlPlane } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { buildPrograms } from '../build/build-programs.ts';
import { imageOf } from '../build/dockerfile.ts';
import { withUmask } from '../build/umask.fixture.ts';
import { root } from '../checks.ts';

const folder = join(root, 'deploy', 'images');
const images = readdirSync(folder).map((file) => ({
  component: file.replace('.Dockerfile', ''),
  image: imageOf(readFileSync(join(folder, file), 'utf8')),
}));
const work = mkdtempSync(join(tmpdir(), 'atoll-images-'));
const context = join(work, 'context');
const rootOf = (component: string): string => join(work, component);

beforeAll(async () => {
  await withUmask(0o077, async () => buildPrograms(join(context, 'dist')));
  for (const { component, image } of images) {
    for (const { from, to } of image.copies) {
      for (const path of from) {
        const target = to.endsWith('/') ? join(to, basename(path)) : to;
        mkdirSync(join(rootOf(component), dirname(target)), { recursive: true });
        cpSync(join(context, path), join(rootOf(component), target), { recursive: true });
      }
    }
  }
});

afterAll(() => {
  rmSync(work, { recursive: true, force: true });
});

/** Where the file is that the image starts with. */
function programOf(component: string): string {
  const found = images.find((each) => each.component === component)?.image.entrypoint.at(-1);
  if (found === undefined) throw new Error(`deploy/images/${component}.Dockerfile has no ENTRYPOINT`);
  return join(rootOf(component), found);
}

it('there is one for the operator, the agent and the commands', () => {
  expect(images.map(({ component }) => component)).toEqual(['agent', 'cli', 'operator']);
});

describe.each(images)('the image of $component', ({ component, image }) => {
  it('is a distroless Node 24 with files and nothing else, under this version', () => {
    expect(image.base).toMatch(/^gcr\.io\/distroless\/nodejs24-debian13:/);
    expect(image.base.endsWith(':nonroot')).toBe(component !== 'agent');
    expect(image.user).toBe(component === 'agent' ? undefined : '65532:65532');
    expect(image.entrypoint[0]).toBe('/nodejs/bin/node');
    expect(image.labels).toEqual({
      'org.opencontainers.image.title': `atoll-${component}`,
      'org.opencontainers.image.description': expect.stringMatching(/\w{3}/) as string,
      'org.opencontainers.image.version': packageJson.version,
      'org.opencontainers.image.licenses': packageJson.license,
    });
  });

  it('holds what was built and nothing of the checkout, and its user may read it', () => {
    const files = image.copies.flatMap(({ from }) => from);
    expect(files.filter((path) => !path.startsWith('dist/'))).toEqual([]);
    expect(files.filter((path) => (statSync(join(context, path)).mode & 0o444) !== 0o444)).toEqual([]);
  });

  it('holds our licence, the licences of its code, and the list of it', () => {
    expect(readFileSync(join(rootOf(component), 'LICENSE'), 'utf8')).toContain('Apache License');
    const programs = image.copies.flatMap(({ from }) =>
      from.flatMap((path) => /([\w-]+)\.mjs$/.exec(path)?.[1] ?? []),
    );
    expect(programs).not.toEqual([]);
    for (const name of programs) {
      const read = (ending: string): string =>
        readFileSync(join(rootOf(component), 'licences', `${name}.${ending}`), 'utf8');
      expect(read('licences.txt')).toContain('commander ');
      expect(read('cdx.json')).toContain('"bomFormat": "CycloneDX"');
    }
  });

  it.each(['--help', '--version'])('runs %s with no other file to read and none to write', async (flag) => {
    const [, ...args] = image.entrypoint.slice(0, -1);
    const confined = ['--permission', `--allow-fs-read=${rootOf(component)}/*`, '--no-strip-types'];
    const command = [...confined, ...args, programOf(component), flag];
    const options = { cwd: rootOf(component), env: { HOME: '/nonexistent' } };
    const { stdout } = await promisify(execFile)(process.execPath, command, options);
    expect(stdout).toContain(flag === '--help' ? 'Usage: ' : packageJson.version);
  });
});

it('the operator of the image serves a cluster', async () => {
  await using controlPlane = await startControlPlane({
    fleet: { pools: ['bj'], nodesPerPool: 1 },
    prepare: install,
  });
  const client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), { userAgent: 'spec' });
  try {
    await runOperator(controlPlane, {
      script: programOf('operator'),
      account: { namespace: operatorNames.namespace, name: operatorNames.serviceAccount },
      args: ['--leader-elect=false'],
    });
    const metadata = { name: 'bj' };
    await client.create(nodePools, { metadata, spec: { type: 'Edge' } });
    await expect
      .poll(async () => (await client.get(nodePools, metadata)).status)
      .toMatchObject({ readyNodeNum: 1 });
  } finally {
    await client.close();
  }
});
