import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/** A process, distinguished from a later one that was given the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in a form that means something on this machine only. */
  readonly started: string;
}

/** Undefined where no such process runs. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startOnLinux(pid) : startElsewhere(pid);
  return started === undefined ? undefined : { pid, started };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.started === identity.started;
}

/** Sends the signal to exactly this process; yields whether it was there. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isRunning(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch {
    // It ended between the two calls, or belongs to someone else by now.
    return false;
  }
}

/**
 * Has SIGSTOP taken effect on every thread? The signal stops a process only when one of its threads is scheduled, and on a busy machine
 * the others work on until then. True where the process has ended.
 */
export function isStopped(pid: number): boolean {
  return statesOf(pid).every((state) => state === 'T' || state === 't' || state === 'Z' || state === 'X');
}

function statesOf(pid: number): readonly string[] {
  try {
    if (process.platform !== 'linux') return [ps(pid, 'state').slice(0, 1)];
    return readdirSync(`/proc/${pid}/task`).map((thread) => stateOfThread(`${pid}/task/${thread}`));
  } catch {
    return [];
  }
}

/** A thread that ended since it was listed is as good as stopped; it says nothing about the others. */
function stateOfThread(thread: string): string {
  try {
    return stateAndLater(thread)[0] ?? '';
  } catch {
    return 'X';
  }
}

/** The fields from the third on: the command's name before them, in parentheses, may hold spaces. proc(5). */
function stateAndLater(process: string): readonly string[] {
  const stat = readFileSync(`/proc/${process}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function startOnLinux(pid: number): string | undefined {
  try {
    const fields = stateAndLater(String(pid));
    const zombie = fields[0] === 'Z' || fields[0] === 'X';
    // Field 22.
    return zombie ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function startElsewhere(pid: number): string | undefined {
  try {
    return ps(pid, 'lstart') || undefined;
  } catch {
    return undefined;
  }
}

function ps(pid: number, column: string): string {
  const output = execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return output.toString().trim();
}
