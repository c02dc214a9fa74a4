import { Command } from 'commander';
import { refuseInOneLine, valueParser, wholeNumber, type ValueParser } from '@atoll/kube/command-line';

/** How large a run is, and for how long it goes on. */
export interface ChaosOptions {
  readonly nodes: number;
  readonly pools: number;
  /** Objects of each kind. */
  readonly objects: number;
  /** Nodes on which the pods of one DaemonSet or ExtendedDaemonSet run. */
  readonly nodesOfDaemons: number;
  /** Nodes with an agent, and DaemonSets that are upgraded there when somebody asks for it. */
  readonly agents: number;
  /** Rounds begin until this time has passed, in milliseconds. */
  readonly runMs: number;
  /** Faults and changes of one round, in milliseconds. */
  readonly roundMs: number;
  /** Within how long after the last fault every object is to be as wanted, in milliseconds. */
  readonly settleMs: number;
  /** Names of faults; empty: all. */
  readonly faults: readonly string[];
  readonly seed: number;
}

export const defaultChaos: Omit<ChaosOptions, 'seed'> = {
  nodes: 500,
  pools: 25,
  objects: 10,
  nodesOfDaemons: 40,
  agents: 3,
  runMs: 4 * 3_600_000,
  roundMs: 120_000,
  settleMs: 60_000,
  faults: [],
};

/** Reads the command line of `npm run chaos`; prints what is wrong and ends the process where it cannot. */
export function readChaosOptions(args: readonly string[], faultNames: readonly string[]): ChaosOptions {
  const { nodes, pools, objects, nodesOfDaemons, agents, runMs, roundMs, settleMs } = defaultChaos;
  const command = new Command('npm run chaos --')
    .description(
      'Changes objects of every kind without end while operators, API server, etcd, nodes and network fail, and proves from the audit log, round by round, that nothing was doubled, lost or stopped that should not be.',
    )
    .option('--minutes <n>', 'how long rounds begin', time, runMs / 60_000)
    .option('--round-seconds <n>', 'how long faults and changes of one round last', time, roundMs / 1000)
    .option(
      '--settle-seconds <n>',
      'within how long after the last fault all must be as wanted',
      time,
      settleMs / 1000,
    )
    .option('--nodes <n>', 'nodes', count, nodes)
    .option('--pools <n>', 'pools', count, pools)
    .option('--objects <n>', 'objects of each kind', count, objects)
    .option('--daemon-nodes <n>', 'nodes of one DaemonSet or ExtendedDaemonSet', count, nodesOfDaemons)
    .option('--agents <n>', 'nodes with an agent; 0: none', wholeNumber(0, 1_000), agents)
    .option('--faults <list>', 'which faults, by comma; without it all', namesOf(faultNames))
    .option('--seed <n>', 'repeats the choices of a run', wholeNumber(0, 1_000_000))
    .addHelpText(
      'after',
      '\nExit codes: 0 every rule held, 1 one was broken or no round could be judged, 2 the command line is wrong.',
    )
    .addHelpText('after', `Faults: ${faultNames.join(', ')}.`)
    .allowExcessArguments(false)
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  refuseInOneLine(command);
  command.parse(args, { from: 'user' });
  const given = command.opts<Readonly<Record<string, number>> & { readonly faults?: readonly string[] }>();
  return {
    nodes: given['nodes'] ?? nodes,
    pools: given['pools'] ?? pools,
    objects: given['objects'] ?? objects,
    nodesOfDaemons: Math.min(given['daemonNodes'] ?? nodesOfDaemons, given['nodes'] ?? nodes),
    agents: Math.min(given['agents'] ?? agents, given['nodes'] ?? nodes),
    runMs: (given['minutes'] ?? 0) * 60_000,
    roundMs: (given['roundSeconds'] ?? 0) * 1000,
    settleMs: (given['settleSeconds'] ?? 0) * 1000,
    faults: given.faults ?? [],
    seed: given['seed'] ?? Math.floor(Math.random() * 1_000_000),
  };
}

const count = wholeNumber(1, 100_000);

/** A part of a minute is enough for a test. */
const time = valueParser('a number above 0 and up to 1000000', (text) => {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  return number > 0 && number <= 1_000_000 ? number : undefined;
});

function namesOf(known: readonly string[]): ValueParser<readonly string[]> {
  return valueParser(`a list of ${known.join(', ')}`, (list) => {
    const wanted = list.split(',');
    return wanted.every((name) => known.includes(name)) ? wanted : undefined;
  });
}
