// Every command of this project answers a wrong command line in one line, and does nothing.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { programFile } from '../build/program-file.ts';
import { root } from '../checks.ts';

const source = (...path: readonly string[]): string => join(root, ...path);

/** The file that Node runs for each, and how a person asks it for help. */
const commands = {
  'atoll-operator': [programFile('atoll-operator'), 'atoll-operator --help'],
  'atoll-agent': [programFile('atoll-agent'), 'atoll-agent --help'],
  'atoll-agent upgrade': [programFile('atoll-agent'), 'atoll-agent upgrade --help'],
  'atoll-testbed': [programFile('atoll-testbed'), 'atoll-testbed --help'],
  'atoll-testbed up': [programFile('atoll-testbed'), 'atoll-testbed up --help'],
  'kubectl-eds': [programFile('kubectl-eds'), 'kubectl-eds --help'],
  'kubectl-eds get': [programFile('kubectl-eds'), 'kubectl-eds get --help'],
  'check-eds upgrade': [programFile('check-eds'), 'check-eds upgrade --help'],
  'npm start': [source('start', 'main.ts'), 'npm start -- --help'],
  'npm run chaos': [source('packages', 'operator', 'chaos', 'main.ts'), 'npm run chaos -- --help'],
  'npm run fuzz': [source('packages', 'operator', 'fuzz', 'main.ts'), 'npm run fuzz -- --help'],
  'npm run bench': [source('bench', 'main.ts'), 'npm run bench -- --help'],
  'npm run build': [source('scripts', 'build.ts'), 'npm run build -- --help'],
  'npm run generate': [source('scripts', 'generate.ts'), 'npm run generate -- --help'],
  'npm run check': [source('scripts', 'check.ts'), 'npm run check -- --help'],
  'npm test': [source('scripts', 'test.ts'), 'npm test -- --help'],
} as const;

type CommandName = keyof typeof commands;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Nothing of this machine's environment decides: no cluster, and no variable that stands for a flag. */
async function run(
  name: CommandName,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const [file] = commands[name];
  const [, ...subcommand] = name.startsWith('npm') ? [] : name.split(' ');
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [file, ...subcommand, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, HOME, KUBECONFIG: '/dev/null', ...variables },
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

/** A few at a time: each is a process. */
const concurrent = { concurrent: true } as const;

describe('an unknown flag', () => {
  it.each(Object.keys(commands) as readonly CommandName[])('of %s', concurrent, async (name) => {
    const { code, out, err } = await run(name, ['--no-such-flag']);
    const [, help] = commands[name];
    expect(err).toMatch(/^error: [^\n]*--no-such-flag[^\n]*\n$/);
    expect(err).toContain(help);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

/** With the value that is given, and what is allowed instead. */
const wrongValues: readonly (readonly [CommandName, readonly string[], string])[] = [
  ['atoll-operator', ['--workers', '0'], 'a whole number from 1 to 9999'],
  ['atoll-operator', ['--leader-elect-lease-duration', '15'], 'a duration of at least 100ms, like 15s'],
  ['atoll-operator', ['--controllers', 'nodepools'], 'node-pool, united-daemon-set'],
  ['atoll-agent', ['--node-name', 'Node_1'], 'the name of a Node'],
  ['atoll-agent upgrade', ['--timeout', 'soon'], 'a duration like 90s'],
  ['atoll-testbed up', ['--taint', 'disk'], 'key=value:Effect'],
  ['atoll-testbed up', ['--failure-domains', 'rack'], 'pool, zone'],
  ['kubectl-eds get', ['--output', 'xml'], 'wide, json, yaml, name'],
  ['kubectl-eds get', ['--request-timeout', 'long'], 'a duration like 5s'],
  ['npm run chaos', ['--nodes', '1.5'], 'a whole number from 1'],
  ['npm run chaos', ['--faults', 'meteor'], 'a list of'],
  ['npm run fuzz', ['--objects', '-1'], 'a whole number from 1'],
  ['npm run bench', ['pools', '--pools', '0'], 'a whole number from 1'],
  ['npm run bench', ['speed'], 'there are client, pools'],
  ['npm run build', ['--downloads', 'here'], 'there is --downloads URL'],
];

it.each(wrongValues)(
  '%s %j is refused, and what is allowed is named',
  concurrent,
  async (name, args, allowed) => {
    const { code, out, err } = await run(name, args);
    expect(err).toMatch(/^error: [^\n]*--help[^\n]*\n$/);
    for (const given of args.filter((each) => each !== 'agent' && each !== 'pools'))
      expect(err).toContain(given);
    expect(err).toContain(allowed);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  },
);

/** The last flag has no value. */
const missingValues: readonly (readonly [CommandName, readonly string[], string])[] = [
  ['atoll-operator', ['--workers'], 'a whole number from 1 to 9999'],
  ['atoll-agent upgrade', ['--timeout'], 'a duration like 90s'],
  ['atoll-testbed up', ['--taint'], 'key=value:Effect'],
  ['kubectl-eds get', ['--output'], 'wide, json, yaml, name'],
  ['npm start', ['--context'], '<name>'],
  ['npm run chaos', ['--nodes'], 'a whole number from 1'],
  ['npm run bench', ['pools', '--pools'], 'a whole number from 1'],
];

it.each(missingValues)('%s %j without a value is refused', concurrent, async (name, args, allowed) => {
  const { code, out, err } = await run(name, args);
  expect(err).toMatch(/^error: [^\n]*--help[^\n]*\n$/);
  expect(err).toContain(args.at(-1));
  expect(err).toContain(allowed);
  expect({ code, out }).toEqual({ code: 2, out: '' });
});

const wrongVariables: readonly (readonly [CommandName, readonly string[], string, string, string])[] = [
  ['atoll-operator', [], 'EDS_VALIDATION_MODE', 'Manual', 'auto or manual'],
  ['atoll-agent', [], 'NODE_NAME', 'Node_1', 'the name of a Node'],
  ['check-eds upgrade', ['agent'], 'NODE_COMPLETION_PCT', '101', 'at most 100'],
];

it.each(wrongVariables)(
  '%s %j with %s=%s is refused',
  concurrent,
  async (name, args, variable, value, allowed) => {
    const { code, out, err } = await run(name, args, { [variable]: value });
    expect(err).toMatch(/^error: [^\n]*--help[^\n]*\n$/);
    for (const part of [variable, value, allowed]) expect(err).toContain(part);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  },
);
