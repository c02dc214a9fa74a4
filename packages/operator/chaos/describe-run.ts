import { isJudged, type ChaosReport, type ChaosRound, type ProcessSize } from './chaos-report.ts';

const mostLines = 20;

/** A line for the round, and a line for each thing that is wrong in it. */
export function describeRound(round: ChaosRound): string {
  const {
    faults,
    changes,
    writes,
    upgrades,
    refusedUpgrades,
    settledMs,
    restarted,
    violations,
    unjudged,
    unsettled,
    evidence,
    processes,
  } = round;
  const count = Object.values(faults).reduce((sum, each) => sum + each, 0);
  const sizes = processes.map((size) => `${size.name} ${describeSize(size)}`);
  const line =
    `round ${round.round}: ${count} faults, ${changes} changes, ${writes} writes, ` +
    `${upgrades} upgrades by agents and ${refusedUpgrades} refused for a full disk, ` +
    `all as wanted ${(settledMs / 1000).toFixed(1)} s after the last fault; ${sizes.join('; ')}`;
  const wrong = [
    ...restarted.map((name) => `  ended by itself and was started again: ${name}`),
    ...(unjudged === undefined ? [] : [`  not judged: ${unjudged}`]),
    ...violations.map(({ rule, message }) => `  BROKEN: ${rule}: ${message}`),
    ...unsettled.map((each) => `  NOT AS WANTED: ${each}`),
  ];
  const more = wrong.length > mostLines ? [`  and ${wrong.length - mostLines} more`] : [];
  const kept =
    evidence === undefined ? [] : [`  audit log, events, faults and logs of the round: ${evidence}`];
  return [line, ...wrong.slice(0, mostLines), ...more, ...kept].join('\n');
}

/** The run in a few lines, for a report. */
export function summarize({ options, rounds }: ChaosReport): string {
  const faults = new Map<string, number>();
  for (const round of rounds)
    for (const [name, count] of Object.entries(round.faults))
      faults.set(name, (faults.get(name) ?? 0) + count);
  const sum = (of: (round: ChaosRound) => number): number =>
    rounds.reduce((total, round) => total + of(round), 0);
  const largest = describeSize(largestOf(rounds));
  const first = describeSize(largestOf(rounds.slice(0, 1)));
  const last = describeSize(largestOf(rounds.slice(-1)));
  const broken = sum(({ violations, unsettled }) => violations.length + unsettled.length);
  const judged = rounds.filter(isJudged).length;
  const verdict =
    broken > 0 ? `${broken} things are wrong` : judged > 0 ? 'every rule held' : 'nothing is proved';
  return [
    `${rounds.length} rounds, seed ${options.seed}: ${verdict}`,
    `${rounds.length - judged} rounds could not be judged`,
    `faults: ${[...faults].map(([name, count]) => `${count} ${name}`).join(', ')}`,
    `${sum(({ changes }) => changes)} changes, ${sum(({ writes }) => writes)} writes of the operators`,
    `${sum(({ upgrades }) => upgrades)} upgrades by agents, ${sum(({ refusedUpgrades }) => refusedUpgrades)} refused for a full disk`,
    `slowest round: as wanted ${(Math.max(...rounds.map(({ settledMs }) => settledMs)) / 1000).toFixed(1)} s after the last fault`,
    `largest process: ${largest}; in the first round: ${first}; in the last: ${last}`,
  ].join('\n');
}

type Size = Omit<ProcessSize, 'name'>;

function describeSize({ megabytes, files, timers }: Size): string {
  return `${megabytes} MB, ${files} files, ${timers === undefined ? 'timers not known' : `${timers} timers`}`;
}

/** The most that a process held in these rounds of each. */
function largestOf(rounds: readonly ChaosRound[]): Size {
  const sizes = rounds.flatMap(({ processes }) => processes);
  const timers = sizes.flatMap(({ timers: found }) => found ?? []);
  return {
    megabytes: Math.max(0, ...sizes.map(({ megabytes }) => megabytes)),
    files: Math.max(0, ...sizes.map(({ files }) => files)),
    timers: timers.length === 0 ? undefined : Math.max(...timers),
  };
}
