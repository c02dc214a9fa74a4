import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { identifyProcess, type ProcessIdentity } from './process-identity.ts';
import { writeProcessRecord, type NamedProcess } from './process-record.ts';
import type { Command, Message, ProgramSpec, Request, SupervisorStart } from './protocol.ts';

/**
 * A small process between the library and the control plane. It holds one end of a channel whose other end
 * dies with the library's process, even by SIGKILL; then it kills what it started and removes the data.
 */
const { directory, file, ownerPid } = JSON.parse(process.argv[2] ?? '{}') as SupervisorStart;

interface Program {
  readonly spec: ProgramSpec;
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
}

const gone: ProcessIdentity = { pid: 0, started: '' };
const self = identifyProcess(process.pid) ?? gone;
const owner = identifyProcess(ownerPid) ?? gone;
const programs = new Map<string, Program>();
let ending = false;

process.on('disconnect', abandon);
// Terminal signals and polite requests are the owner's affair: it asks for a shutdown, or dies and is noticed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

process.on('message', (request: Request) => {
  handle(request.command).then(
    (pid) => send({ type: 'done', id: request.id, ...(pid === undefined ? {} : { pid }) }),
    (error: unknown) =>
      send({
        type: 'failed',
        id: request.id,
        message: error instanceof Error ? error.message : String(error),
      }),
  );
});

record();
if (!process.connected) abandon();

async function handle(command: Command): Promise<number | undefined> {
  switch (command.type) {
    case 'start':
      return start(command.spec);
    case 'signal':
      signalProgram(command.name, command.signal);
      return undefined;
    case 'shutdown':
      await shutdown(command.graceMs);
      return undefined;
  }
}

async function start(spec: ProgramSpec): Promise<number> {
  if (ending) throw new Error('the control plane is ending');
  if (programs.has(spec.name)) throw new Error(`${spec.name} runs already`);
  const log = openSync(spec.logFile, 'a');
  const child = spawn(spec.file, spec.args, {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...spec.env },
  });
  closeSync(log);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  programs.set(spec.name, { spec, process: child, ended });
  child.once('exit', (code, signal) => {
    programs.delete(spec.name);
    end();
    record();
    if (child.pid !== undefined)
      send({ type: 'exit', exit: { name: spec.name, pid: child.pid, code, signal } });
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => {
      programs.delete(spec.name);
      end();
      reject(new Error(`cannot start ${spec.file}: ${error.message}`));
    });
  });
  record();
  if (child.pid === undefined) throw new Error(`cannot start ${spec.file}`);
  return child.pid;
}

function signalProgram(name: string, signal: NodeJS.Signals): void {
  const program = programs.get(name);
  if (program === undefined) throw new Error(`${name} is not running`);
  program.process.kill(signal);
}

async function shutdown(graceMs: number): Promise<void> {
  ending = true;
  const layers = new Set([...programs.values()].map((program) => program.spec.layer));
  for (const layer of [...layers].toSorted((a, b) => b - a)) {
    const atOnce = [...programs.values()].filter((program) => program.spec.layer === layer);
    await Promise.all(atOnce.map(async (program) => endProgram(program, graceMs)));
  }
  removeAll();
}

async function endProgram(program: Program, graceMs: number): Promise<void> {
  program.process.kill(graceMs === 0 ? 'SIGKILL' : 'SIGTERM');
  // A paused program takes SIGTERM only when it goes on.
  program.process.kill('SIGCONT');
  const killer = setTimeout(() => program.process.kill('SIGKILL'), graceMs);
  await program.ended;
  clearTimeout(killer);
}

/** The owner is gone: nobody needs the data, so nothing is worth a grace period. */
function abandon(): void {
  void shutdown(0).then(() => process.exit(0));
}

function removeAll(): void {
  if (file !== undefined) rmSync(file, { force: true });
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

function record(): void {
  if (ending) return;
  const running: NamedProcess[] = [];
  for (const { spec, process: child } of programs.values()) {
    const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
    if (identity !== undefined) running.push({ name: spec.name, ...identity });
  }
  writeProcessRecord(directory, {
    owner,
    supervisor: self,
    programs: running,
    ...(file === undefined ? {} : { file }),
  });
}

function send(message: Message): void {
  // The channel may close at any moment; that is what `disconnect` above is for.
  if (process.connected) process.send?.(message, () => undefined);
}
