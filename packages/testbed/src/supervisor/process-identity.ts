import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

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

function startOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name, in parentheses, may hold spaces; the state follows it. proc(5): field 3 and field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const zombie = fields[0] === 'Z' || fields[0] === 'X';
    return zombie ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function startElsewhere(pid: number): string | undefined {
  try {
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return started.toString().trim() || undefined;
  } catch {
    return undefined;
  }
}
