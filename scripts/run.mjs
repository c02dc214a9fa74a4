// Runs a program of this project with everything it needs: installs the dependencies when the lockfile asks
// for it, then starts Node 24 (from npm where the machine's own is older). Plain JavaScript, because it runs
// on the machine's own Node >= 20.19 before anything is installed.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');

/** What a signal does now. */
let onSignal = () => {};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => onSignal(signal));

/** Yields how the program ended. `started` is given the process. */
function run(command, args, options, started) {
  return new Promise((resolve) => {
    const child = spawn(command, args, options);
    child.on('error', (error) => resolve({ code: 1, signal: null, error }));
    child.on('exit', (code, signal) => resolve({ code, signal }));
    started(child);
  });
}

/**
 * What is installed, by npm's own account, is what the lockfile says. npm writes that account last, so an
 * installation that was interrupted has none. Packages for other platforms may be absent.
 */
function isInstalled() {
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  const wanted = packagesOf(join(root, 'package-lock.json'));
  if (installed === undefined || wanted === undefined) return false;
  return Object.entries(wanted).every(([path, { version, integrity, optional = false }]) => {
    if (path === '') return true;
    const found = installed[path];
    if (found === undefined) return optional;
    return found.version === version && found.integrity === integrity;
  });
}

function packagesOf(lockfile) {
  try {
    return JSON.parse(readFileSync(lockfile, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

async function install() {
  process.stderr.write('Installing dependencies (npm ci) …\n');
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  // A group of its own, that is killed as a whole: asked to end, npm would undo all that it did, which takes as long.
  const options = { cwd: root, stdio: ['ignore', 2, 2], detached: true };
  const { code, error } = await run('npm', args, options, (npm) => {
    onSignal = (signal) => {
      if (npm.pid !== undefined) process.kill(-npm.pid, 'SIGKILL');
      // npm's spinner hides the cursor.
      if (process.stderr.isTTY) writeSync(2, '\r\u001b[K\u001b[?25h');
      process.stderr.write('Interrupted; the next start installs again.\n');
      process.exit(exitCode(null, signal));
    };
  });
  if (code === 0) return;
  const why = error === undefined ? `exit code ${code}` : error.message;
  process.stderr.write(`npm ci failed (${why}); what it said is above. Is the npm registry reachable?\n`);
  process.exit(1);
}

function nodeBinary() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  // Not what npm links into .bin: npm 9 takes the link away with the package for the other processor.
  const installed = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(installed)) return installed;
  process.stderr.write(
    `Node ${process.versions.node} is too old to run Atoll and npm has no Node 24 for ` +
      `${process.platform}-${process.arch}: install Node 24 or newer.\n`,
  );
  process.exit(1);
}

function exitCode(code, signal) {
  return code ?? 128 + (constants.signals[signal] ?? 0);
}

/** The oldest whose npm installs what tests and tools need. */
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Node ${process.versions.node} is too old: install Node 20.19 or newer.\n`);
  process.exit(1);
}
const [program, ...args] = process.argv.slice(2);
if (program === undefined) {
  process.stderr.write('usage: node scripts/run.mjs <file.ts | installed command> [arguments]\n');
  process.exit(2);
}
if (!isInstalled()) await install();

const node = nodeBinary();
const isFile = program.endsWith('.ts');
const target = isFile ? join(root, program) : join(bin, program);
const options = {
  cwd: isFile ? process.cwd() : root,
  stdio: 'inherit',
  env: { ...process.env, PATH: [dirname(node), bin, process.env.PATH ?? ''].join(':') },
};
const { code, signal, error } = await run(node, [target, ...args], options, (child) => {
  // A terminal sends Ctrl-C to every process of the group, so the program has it already; a signal that was sent to
  // this process alone is passed on. Either way this process stays until the program has cleaned up.
  onSignal = (name) => {
    if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name);
  };
});
if (error !== undefined) process.stderr.write(`Cannot start ${program}: ${error.message}\n`);
// A program that was killed could not leave its full-screen view: show the cursor, and the screen as it was.
if (signal === 'SIGKILL' && process.stdout.isTTY) writeSync(1, '\u001b[?25h\u001b[?1049l');
process.exit(exitCode(code, signal));
