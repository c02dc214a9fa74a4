import { agentFaults } from './agent-disks.ts';
import type { ChaosFault } from './chaos-world.ts';
import { networkFaults } from './network.ts';
import { nodeFaults } from './nodes.ts';
import { processFaults } from './processes.ts';

/** All that fails in a run. */
export const chaosFaults: readonly ChaosFault[] = [
  ...processFaults,
  ...networkFaults,
  ...nodeFaults,
  ...agentFaults,
];
