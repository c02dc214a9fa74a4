// Runs a program of this project with everything it needs: installs the dependencies when the lockfile asks
// for it, then starts Node 24 (from npm where the machine's own is older). Plain JavaScript, because it runs
// on the machine's own Node >= 20 before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');
const marker = join(root, 'node_modules', '.atoll-installed');

function installIfNeeded() {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === lock) return;
  process.stderr.write('Installing dependencies (npm ci) …\n');
  const result = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (result.error || result.status !== 0) {
    const why = result.error ? result.error.message : `exit code ${result.status}`;
    process.stderr.write(`npm ci failed (${why}). Is the npm registry reachable?\n`);
    process.exit(1);
  }
  writeFileSync(marker, lock);
}

function nodeBinary() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const installed = join(bin, 'node');
  if (existsSync(installed)) return installed;
  process.stderr.write(
    `Node ${process.versions.node} is too old to run Atoll and npm has no Node 24 for ` +
      `${process.platform}-${process.arch}: install Node 24 or newer.\n`,
  );
  process.exit(1);
}

const [program, ...args] = process.argv.slice(2);
if (program === undefined) {
  process.stderr.write('usage: node scripts/run.mjs <file.ts | installed command> [arguments]\n');
  process.exit(2);
}

installIfNeeded();
const isFile = program.endsWith('.ts');
const target = isFile ? join(root, program) : join(bin, program);
const child = spawn(nodeBinary(), [target, ...args], {
  cwd: isFile ? process.cwd() : root,
  stdio: 'inherit',
  env: { ...process.env, PATH: `${bin}:${process.env.PATH ?? ''}` },
});
// A terminal sends Ctrl-C to the whole group; a signal sent to this process alone is passed on. Either way
// this process stays until the program has cleaned up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on('error', (error) => {
  process.stderr.write(`Cannot start ${program}: ${error.message}\n`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  process.exit(code ?? (signal === 'SIGINT' ? 130 : 143));
});
