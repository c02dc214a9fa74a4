import { Command, Option } from 'commander';
import type { Client } from '@atoll/kube';
import {
  addNodes,
  awaitReadyNodes,
  labelNodes,
  listNodes,
  removeNodes,
  type NodeSummary,
} from '../fleet/nodes.ts';
import type { Taint } from '../fleet/node-spec.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { createOutput } from './output.ts';
import {
  parseCount,
  parseKubeconfig,
  parseLabel,
  parseName,
  parsePods,
  parseQuantity,
  parseTaint,
  splitLabelArguments,
} from './parse-option.ts';
import type { CommandContext } from './program.ts';
import { findControlPlane } from './registered-control-plane.ts';
import { withAdministrator } from './status.ts';

interface ControlPlaneFlags {
  readonly name: string;
  readonly kubeconfig?: string;
  readonly json?: boolean;
}

export function nodesCommand({ streams, signal }: CommandContext, parent: Command): Command {
  const nodes = new Command('nodes').description('Add, remove, label and list the simulated nodes.');
  nodes.copyInheritedSettings(parent);
  const subcommand = (name: string, description: string): Command =>
    nodes
      .command(name)
      .description(description)
      .addOption(new Option('--name <name>', 'which control plane').default('default').argParser(parseName))
      .option('--kubeconfig <file>', 'the control plane of this kubeconfig instead', parseKubeconfig)
      .option('--json', 'print the result as one line of JSON');

  subcommand('list', 'List the nodes.').action(async (flags: ControlPlaneFlags) => {
    const found = await onControlPlane(flags, listNodes, signal);
    createOutput(streams, flags.json === true).result(found.map(formatNode).join('\n') || 'no nodes', found);
  });

  subcommand('add', 'Register nodes, and wait until they are Ready.')
    .option('--count <n>', 'how many', parseCount, 1)
    .option('--pool <name>', 'their pool', parseName)
    .option('--zone <name>', 'their zone', parseName, 'zone-1')
    .option('--taint <key=value:Effect>', 'taint them; may be given again', parseTaint)
    .option('--label <key=value>', 'label them; may be given again', parseLabel)
    .option('--cpu <quantity>', 'CPUs of a node', parseQuantity, '32')
    .option('--memory <quantity>', 'memory of a node', parseQuantity, '256Gi')
    .option('--pods <n>', 'pods that a node takes', parsePods, '110')
    .action(async (flags: AddFlags) => {
      const added = await changeNodes(flags, async (client) => add(client, flags), signal);
      createOutput(streams, flags.json === true).result(`added ${added.join(', ')}`, { added });
    });

  subcommand('remove', 'Remove nodes by name, or of a pool, as when machines are taken away.')
    .argument('[nodes...]')
    .option('--pool <name>', 'the last nodes of this pool', parseName)
    .option('--count <n>', 'how many of the pool (default: all)', parseCount)
    .action(async (names: readonly string[], flags: RemoveFlags) => {
      if (flags.count !== undefined && flags.pool === undefined)
        throw new CommandFailure('--count needs --pool', exitCodes.usage);
      const removed = await changeNodes(flags, async (client) => remove(client, names, flags), signal);
      createOutput(streams, flags.json === true).result(`removed ${removed.join(', ') || 'none'}`, {
        removed,
      });
    });

  subcommand('label', 'Set labels (key=value) or remove them (key-).')
    .argument('<nodes-and-labels...>', 'names of nodes, then labels')
    .option('--pool <name>', 'all nodes of this pool', parseName)
    .action(async (words: readonly string[], flags: ControlPlaneFlags & { readonly pool?: string }) => {
      const { names, labels } = splitLabelArguments(words);
      if (Object.keys(labels).length === 0) throw new CommandFailure('no label is given', exitCodes.usage);
      const label = async (client: Client): Promise<readonly string[]> => {
        const chosen = await choose(client, names, flags.pool);
        await labelNodes(client, chosen, labels);
        return chosen;
      };
      const labelled = await changeNodes(flags, label, signal);
      createOutput(streams, flags.json === true).result(`labelled ${labelled.join(', ')}`, { labelled });
    });
  return nodes;
}

interface AddFlags extends ControlPlaneFlags {
  readonly count: number;
  readonly pool?: string;
  readonly zone: string;
  readonly taint?: readonly Taint[];
  readonly label?: Readonly<Record<string, string>>;
  readonly cpu: string;
  readonly memory: string;
  readonly pods: string;
}

interface RemoveFlags extends ControlPlaneFlags {
  readonly pool?: string;
  readonly count?: number;
}

async function add(
  client: Client,
  { count, pool, zone, taint, label, cpu, memory, pods }: AddFlags,
): Promise<string[]> {
  const names = await addNodes(client, {
    nodes: count,
    zones: [zone],
    size: { cpu, memory, pods },
    ...(pool === undefined ? {} : { pools: [pool] }),
    ...(taint === undefined ? {} : { taints: taint }),
    ...(label === undefined ? {} : { labels: label }),
  });
  await awaitReadyNodes(client, 60_000, new Set(names));
  return names;
}

async function remove(
  client: Client,
  names: readonly string[],
  flags: RemoveFlags,
): Promise<readonly string[]> {
  const chosen = await choose(client, names, flags.pool);
  const last = flags.count === undefined ? chosen : chosen.slice(Math.max(0, chosen.length - flags.count));
  await removeNodes(client, last);
  return last;
}

/** The nodes named, or all of the pool; at least one, and all of them there. */
async function choose(
  client: Client,
  names: readonly string[],
  pool: string | undefined,
): Promise<readonly string[]> {
  if ((names.length === 0) === (pool === undefined)) {
    throw new CommandFailure('give either names of nodes or --pool', exitCodes.usage);
  }
  const all = await listNodes(client);
  const chosen =
    pool === undefined ? names : all.filter((node) => node.pool === pool).map((node) => node.name);
  if (chosen.length === 0) throw new CommandFailure(`no node is in the pool ${pool}`);
  const known = new Set(all.map((node) => node.name));
  const unknown = chosen.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new CommandFailure(`there is no node ${unknown.join(', ')}`);
  return chosen.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

async function onControlPlane<T>(
  flags: ControlPlaneFlags,
  work: (client: Client) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  if (flags.kubeconfig !== undefined)
    return withAdministrator({ kubeconfig: flags.kubeconfig }, work, signal);
  const controlPlane = findControlPlane(flags.name);
  if (controlPlane === undefined) {
    throw new CommandFailure(`no control plane named ${flags.name} is up; start one with "atoll-testbed up"`);
  }
  return withAdministrator(controlPlane, work, signal);
}

/** The same for work that writes: where it is interrupted, nobody knows how much of it is done. */
async function changeNodes<T>(
  flags: ControlPlaneFlags,
  work: (client: Client) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await onControlPlane(flags, work, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CommandFailure(
      'interrupted; what the API server was asked for may be done all the same',
      exitCodes.interrupted,
    );
  }
}

function formatNode({ name, ready, pool, zone }: NodeSummary): string {
  return [
    name.padEnd(28),
    (ready ? 'Ready' : 'NotReady').padEnd(10),
    (pool ?? '-').padEnd(16),
    zone ?? '-',
  ].join(' ');
}
