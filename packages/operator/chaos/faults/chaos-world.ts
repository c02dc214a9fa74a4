import type { StreamingClient } from '@atoll/kube';
import type { ControlPlane, FaultProxy, RunningOperator } from '@atoll/testbed';
import type { NodeAgent } from '../agents/node-agent.ts';
import type { FullDisk } from '../checks/recorded-upgrades.ts';

/** One of the operators, with a way of its own to the API server. */
export interface Replica {
  readonly component: RunningOperator;
  readonly proxy: FaultProxy;
  /** Is to be down: nobody starts it. */
  down: boolean;
  /** A file whose content, in milliseconds, is added to its clock. */
  readonly clockFile: string;
}

/** What faults can be done to. */
export interface ChaosWorld {
  readonly controlPlane: ControlPlane;
  /** As administrator, straight to the API server. */
  readonly client: StreamingClient;
  readonly replicas: readonly Replica[];
  readonly pools: readonly string[];
  /** Their nodes are not lost: an agent's token is bound to its node. */
  readonly agents: readonly NodeAgent[];
  /** Gives the DaemonSets of the agents' nodes something that can be upgraded. */
  readonly changeAgentDaemons: () => Promise<unknown>;
  /** When the disks of agents were full in this round. */
  readonly fullDisks: FullDisk[];
  /** Those that have not come since all came last, in their order. */
  readonly faultsLeft: ChaosFault[];
  /** Numbers in [0, 1). */
  readonly random: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** Gives a new node of a pool what the lost one had. */
  readonly addNode: (pool: string) => Promise<void>;
}

/** Something that fails and is whole again when `run` resolves. */
export interface ChaosFault {
  readonly name: string;
  readonly run: (world: ChaosWorld) => Promise<void>;
}
