import { expect, test } from 'vitest';
import { count, describeOptions, directory, flag, readOptions, UsageError } from './options.ts';

const options = {
  runs: count('how often', 2),
  json: flag('for programs'),
  profile: directory('where profiles go'),
};

test('what is not given is as declared', () => {
  expect(readOptions(options, [])).toEqual({ runs: 2, json: false, profile: undefined });
});

test('options come in any order, and of one that is given twice the last counts', () => {
  const args = ['--json', '--runs', '5', '--profile', 'out/here', '--runs', '7'];
  expect(readOptions(options, args)).toEqual({ runs: 7, json: true, profile: 'out/here' });
});

const number = '--runs needs a whole number from 1 to 999999';

test.each<[string, readonly string[], string]>([
  ['an unknown option', ['--run', '1'], 'unknown "--run"; there are --runs, --json, --profile'],
  ['a name without dashes', ['runs', '1'], 'unknown "runs"; there are --runs, --json, --profile'],
  [
    'a name that every object has',
    ['--toString'],
    'unknown "--toString"; there are --runs, --json, --profile',
  ],
  ['a value behind a flag', ['--json', 'yes'], 'unknown "yes"; there are --runs, --json, --profile'],
  ['a number left out', ['--json', '--runs'], `${number}, and nothing follows it`],
  ['an option in the place of a number', ['--runs', '--json'], `${number}, not "--json"`],
  ['zero', ['--runs', '0'], `${number}, not "0"`],
  ['less than zero', ['--runs', '-1'], `${number}, not "-1"`],
  ['half a run', ['--runs', '1.5'], `${number}, not "1.5"`],
  ['a number in another notation', ['--runs', '1e3'], `${number}, not "1e3"`],
  ['a number that no timer holds', ['--runs', '3000000'], `${number}, not "3000000"`],
  ['an empty number', ['--runs', ''], `${number}, not ""`],
  ['a directory left out', ['--profile'], '--profile needs a directory, and nothing follows it'],
  ['an empty directory', ['--profile', ''], '--profile needs a directory, not ""'],
  ['an option in its place', ['--profile', '--json'], '--profile needs a directory, not "--json"'],
])('%s is reported in one line', (_what, args, message) => {
  expect(() => readOptions(options, args)).toThrow(new UsageError(message));
});

test('people read what each option takes, what it means and what it is otherwise', () => {
  expect(describeOptions(options)).toEqual([
    '--runs N               how often (2)',
    '--json                 for programs',
    '--profile DIRECTORY    where profiles go',
  ]);
});
