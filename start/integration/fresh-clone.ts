import { execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../../scripts/commands/documents.ts';
import { plainEnvironment } from '../../scripts/commands/plain-environment.ts';

/** A clone of this tree in which nothing is installed, and an environment whose Node is the oldest that `package.json` allows. */
export interface FreshClone extends Disposable {
  readonly directory: string;
  /** Runs a line of a shell in it; rejects with what it wrote where it ends with another code than 0. Yields its output. */
  run(command: string, timeoutMs?: number): Promise<string>;
  /** Runs a line that goes on until the clone is disposed of. */
  keepRunning(command: string): void;
}

/** What that Node comes with. */
const npmOfOldestNode = '10.8.2';

/** `more`: folders of `PATH` before those of the machine; variables beside those of the machine. */
export function freshClone(
  more: { readonly path: readonly string[]; readonly env: Readonly<Record<string, string>> },
  log: (text: string) => void = () => undefined,
): FreshClone {
  const folder = mkdtempSync(join(tmpdir(), 'atoll-clone-'));
  const directory = join(folder, 'atoll');
  execFileSync('git', ['clone', '--quiet', root, directory]);
  takeChanges(directory);
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const path = [join(directory, 'bin'), oldestNode(), ...more.path, '/usr/local/go/bin', '/usr/bin', '/bin'];
  const env = { ...plainEnvironment(), PATH: path.join(delimiter), TMPDIR: temporary, ...more.env };
  const running: ReturnType<typeof spawn>[] = [];
  let lastOutput = '';
  return {
    directory,
    async run(command, timeoutMs = 300_000) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      execFile(
        'sh',
        ['-c', command],
        { cwd: directory, env, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 },
        (error, out, err) => {
          log(`$ ${command}\n${out}${err}`);
          if (error === null) resolve(out);
          else
            reject(
              new Error(
                `${command}\nended with ${String(error.code ?? error.signal)}:\n${out}${err}\n${lastOutput}`,
              ),
            );
        },
      );
      return promise;
    },
    keepRunning(command) {
      const child = spawn('sh', ['-c', `exec ${command}`], { cwd: directory, env, detached: true });
      // The end of it, for people who wonder why what follows does not work.
      const hear = (text: unknown): void => void (lastOutput = (lastOutput + String(text)).slice(-2_000));
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.once('exit', (code, signal) => hear(`\n${command} ended with ${String(code ?? signal)}`));
      running.push(child);
    },
    [Symbol.dispose]() {
      for (const { pid } of running) if (pid !== undefined) endGroup(pid);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Changes that are not committed yet are tested too. */
function takeChanges(directory: string): void {
  const list = (...args: readonly string[]): readonly string[] =>
    String(execFileSync('git', ['ls-files', '-z', ...args], { cwd: root }))
      .split('\0')
      .filter((path) => path !== '');
  for (const path of list('--modified', '--others', '--exclude-standard')) {
    const [from, to] = [join(root, path), join(directory, path)];
    if (!existsSync(from)) rmSync(to, { force: true });
    else {
      mkdirSync(dirname(to), { recursive: true });
      cpSync(from, to);
    }
  }
}

/** The folder with `node` and `npm`; npm puts them into the cache of the testbed once. */
function oldestNode(): string {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const version = /^>=([\d.]+)$/.exec(engines.node)?.[1];
  if (version === undefined) throw new Error(`package.json: engines.node is ${engines.node}`);
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const prefix = join(cache, 'atoll', `node-${version}`);
  const bin = join(prefix, 'node_modules', '.bin');
  if (!existsSync(join(bin, 'node')) || !existsSync(join(bin, 'npm'))) {
    mkdirSync(prefix, { recursive: true });
    const packages = [`node-${process.platform}-${process.arch}@${version}`, `npm@${npmOfOldestNode}`];
    const flags = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', '--prefix', prefix, ...flags, ...packages], { env: plainEnvironment() });
  }
  return bin;
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It has ended.
  }
}
