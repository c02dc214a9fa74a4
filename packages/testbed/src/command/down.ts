import { existsSync } from 'node:fs';
import { sleep, systemClock } from '@atoll/kube';
import { endAbandoned } from '../supervisor/end-abandoned.ts';
import { signalProcess } from '../supervisor/process-identity.ts';
import { readProcessRecord } from '../supervisor/process-record.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { findControlPlane, controlPlaneDirectory } from './registered-control-plane.ts';

/** Longer than the programs of a control plane get to end by themselves, layer by layer. */
const patienceMs = 70_000;

/**
 * Ends the control plane of this name and resolves when nothing of it is left. Yields whether there was one. The signal ends
 * the waiting only.
 */
export async function down(name: string, signal: AbortSignal): Promise<boolean> {
  const directory = controlPlaneDirectory(name);
  if (!existsSync(directory)) return false;
  const owner = findControlPlane(name)?.owner ?? readProcessRecord(directory)?.owner;
  if (owner !== undefined) signalProcess(owner, 'SIGTERM');
  const deadline = performance.now() + patienceMs;
  // The folder is the last thing that goes.
  while (existsSync(directory)) {
    if (endAbandoned(directory)) break;
    if (performance.now() > deadline) {
      throw new CommandFailure(
        `the control plane ${name} does not end; its processes are listed in ${directory}`,
      );
    }
    if (signal.aborted) {
      throw new CommandFailure(
        `interrupted; the control plane ${name} was asked to end, and goes on doing so`,
        exitCodes.interrupted,
      );
    }
    await sleep(systemClock, 50, signal);
  }
  return true;
}
