import { Command } from 'commander';
import { refuseInOneLine, wholeNumber } from '@atoll/kube/command-line';

/** How much is tried, and how long an answer may take. */
export interface FuzzOptions {
  /** Objects of each kind in all. */
  readonly objects: number;
  /** Objects of each kind that are there at the same time. */
  readonly atOnce: number;
  /** Of these, how many are valid first, are changed when they are served, and are changed back. */
  readonly changed: number;
  /** Within how many milliseconds every object is answered, and what is not hostile is served. */
  readonly answerMs: number;
  readonly seed: number;
}

const defaultFuzz: Omit<FuzzOptions, 'seed'> = {
  objects: 10_000,
  atOnce: 50,
  changed: 15,
  answerMs: 60_000,
};

/** Reads the command line of `npm run fuzz`; prints what is wrong and ends the process where it cannot. */
export function readFuzzOptions(args: readonly string[]): FuzzOptions {
  const { objects, atOnce, changed, answerMs } = defaultFuzz;
  const command = new Command('npm run fuzz --')
    .description(
      'Sends random and mutated objects of every kind through a real API server, and shows that the operator answers each that was taken, goes on serving others, does not write without end, and does not end.',
    )
    .option('--objects <n>', 'objects of each kind', wholeNumber(1, 1_000_000), objects)
    .option('--at-once <n>', 'of these, how many are there at the same time', wholeNumber(1, 10_000), atOnce)
    .option(
      '--changed <n>',
      'of these, how many are served first, then changed, and changed back',
      wholeNumber(0, 1_000),
      changed,
    )
    .option(
      '--answer-seconds <n>',
      'within how long each is answered',
      wholeNumber(1, 10_000),
      answerMs / 1000,
    )
    .option('--seed <n>', 'repeats the objects of a run', wholeNumber(1, 1_000_000))
    .addHelpText('after', '\nExit codes: 0 every rule held, 1 one was broken, 2 the command line is wrong.')
    .allowExcessArguments(false)
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  refuseInOneLine(command);
  command.parse(args, { from: 'user' });
  const given = command.opts<Readonly<Record<string, number>>>();
  return {
    objects: given['objects'] ?? objects,
    atOnce: given['atOnce'] ?? atOnce,
    changed: given['changed'] ?? changed,
    answerMs: (given['answerSeconds'] ?? 0) * 1000,
    seed: given['seed'] ?? Math.floor(Math.random() * 1_000_000) + 1,
  };
}
