// What people download, as they use it: the checksums, the archives, and krew with the manifest.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { obtainBinaries, obtainGoTool } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { archived, archiveName } from '../build/archives.ts';
import { buildPrograms } from '../build/build-programs.ts';
import { withUmask } from '../build/umask.fixture.ts';
import { writeDownloads } from '../build/write-downloads.ts';
import { goTools } from '../go-tools.ts';

const work = mkdtempSync(join(tmpdir(), 'atoll-downloads-'));
const dist = join(work, 'dist');
const manifest = join(dist, 'krew', 'eds.yaml');
const run = promisify(execFile);
let krew: string;
let validator: string;
let kubectl: string;

beforeAll(async () => {
  await buildPrograms(dist);
  await writeDownloads(dist, 'https://downloads.example/atoll/', []);
  krew = await obtainGoTool(goTools.krew);
  validator = await obtainGoTool(goTools.krewValidator);
  ({ kubectl } = await obtainBinaries());
}, 600_000);

afterAll(() => {
  rmSync(work, { recursive: true, force: true });
});

it('the checksums are those of the files', async () => {
  const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: dist });
  expect(stdout.trim().split('\n')).toEqual(archived.map((name) => `${archiveName(name)}: OK`));
});

it('archives are the same bytes each time, whatever the umask', async () => {
  const before = readFileSync(join(dist, 'SHA256SUMS'), 'utf8');
  await withUmask(0o077, async () => writeDownloads(dist, 'https://downloads.example/atoll', []));
  expect(readFileSync(join(dist, 'SHA256SUMS'), 'utf8')).toBe(before);
});

it.each(archived)('%s runs where its archive was unpacked, and has its licences beside it', async (name) => {
  const folder = join(work, name);
  mkdirSync(folder);
  await run('tar', ['xzf', join(dist, archiveName(name)), '-C', folder]);
  const { stdout: listed } = await run('tar', ['tzvf', join(dist, archiveName(name))]);
  expect(listed).toContain('LICENSE');
  expect(listed).toContain(`${name}.licences.txt`);
  expect(listed).toContain(`${name}.cdx.json`);
  const program = join(folder, name === 'atoll-testbed' ? 'atoll-testbed.mjs' : name);
  const env = { PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':'), HOME: folder };
  expect((await run(program, ['--version'], { env, cwd: folder })).stdout).toBe(`${packageJson.version}\n`);
});

describe('the manifest for krew', () => {
  it('is valid by what the index of krew asks for', async () => {
    const { stderr } = await run(validator, [`-manifest=${manifest}`, '-skip-install']);
    expect(stderr).toContain('structural validation OK');
  });

  it.each([
    ['a sum that is none', /sha256: .*/, 'sha256: "0"', '`sha256` value 0 is not valid'],
    ['another name than the file', /name: eds/, 'name: other', 'plugin should be named "eds"'],
    ['a version without v', /version: v/, 'version: ', 'failed to parse plugin version'],
  ])('would not be valid with %s', async (_, found, instead, why) => {
    const folder = mkdtempSync(join(work, 'wrong-'));
    const text = readFileSync(manifest, 'utf8');
    expect(text).toMatch(found);
    writeFileSync(join(folder, 'eds.yaml'), text.replace(found, instead));
    await expect(run(validator, [`-manifest=${join(folder, 'eds.yaml')}`, '-skip-install'])).rejects.toThrow(
      why,
    );
  });

  it.each([
    ['linux', 'amd64'],
    ['darwin', 'arm64'],
  ])('installs the archive, for %s on %s, and kubectl runs the plugin', async (os, arch) => {
    const home = mkdtempSync(join(work, 'krew-'));
    const path = [join(home, 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(
      ':',
    );
    const env = { PATH: path, HOME: home, KREW_ROOT: home, KREW_OS: os, KREW_ARCH: arch };
    const args = ['install', `--manifest=${manifest}`, `--archive=${join(dist, archiveName('kubectl-eds'))}`];
    const { stderr } = await run(krew, args, { env });
    expect(stderr).toContain('Node.js 22');
    expect((await run(kubectl, ['eds', '--version'], { env })).stdout).toBe(`${packageJson.version}\n`);
  });
});
