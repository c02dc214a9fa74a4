import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import type { Command, Message, ProgramSpec, Request, SupervisorStart } from './protocol.ts';

/**
 * A small process between the library and the control plane. It holds one end of a channel whose other end
 * dies with the library's process, even by SIGKILL; then it kills what it started and removes the data.
 */
const { directory } = JSON.parse(process.argv[2] ?? '{}') as SupervisorStart;

interface Program {
  readonly spec: ProgramSpec;
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
}

const programs = new Map<string, Program>();

process.on('disconnect', () => {
  for (const { process: child } of programs.values()) child.kill('SIGKILL');
  void Promise.all([...programs.values()].map((program) => program.ended)).then(end);
});
// Terminal signals and polite requests are the parent's affair: it asks for a shutdown, or dies and is noticed.
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

async function handle(command: Command): Promise<number | undefined> {
  switch (command.type) {
    case 'start':
      return await start(command.spec);
    case 'signal':
      signal(command.name, command.signal);
      return undefined;
    case 'shutdown':
      await shutdown(command.graceMs);
      return undefined;
  }
}

async function start(spec: ProgramSpec): Promise<number> {
  if (programs.has(spec.name)) throw new Error(`${spec.name} runs already`);
  const log = openSync(spec.logFile, 'a');
  const child = spawn(spec.file, spec.args, { stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code, killedBy) => {
      programs.delete(spec.name);
      resolve();
      if (child.pid !== undefined) {
        send({ type: 'exit', exit: { name: spec.name, pid: child.pid, code, signal: killedBy } });
      }
    });
    child.once('error', () => {
      programs.delete(spec.name);
      resolve();
    });
  });
  programs.set(spec.name, { spec, process: child, ended });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new Error(`cannot start ${spec.file}: ${error.message}`)));
  });
  if (child.pid === undefined) throw new Error(`cannot start ${spec.file}`);
  return child.pid;
}

function signal(name: string, signalName: NodeJS.Signals): void {
  const program = programs.get(name);
  if (program === undefined) throw new Error(`${name} is not running`);
  program.process.kill(signalName);
}

async function shutdown(graceMs: number): Promise<void> {
  const layers = [...new Set([...programs.values()].map((program) => program.spec.layer))].toSorted(
    (a, b) => b - a,
  );
  for (const layer of layers) {
    const ending = [...programs.values()].filter((program) => program.spec.layer === layer);
    await Promise.all(ending.map((program) => endProgram(program, graceMs)));
  }
  rmSync(directory, { recursive: true, force: true });
}

async function endProgram(program: Program, graceMs: number): Promise<void> {
  program.process.kill('SIGTERM');
  // A paused program takes the signal only when it goes on.
  program.process.kill('SIGCONT');
  const killer = setTimeout(() => program.process.kill('SIGKILL'), graceMs);
  await program.ended;
  clearTimeout(killer);
}

function end(): void {
  rmSync(directory, { recursive: true, force: true });
  process.exit(0);
}

function send(message: Message): void {
  // The channel may close at any moment; that is what `disconnect` above is for.
  if (process.connected) process.send?.(message, () => undefined);
}
