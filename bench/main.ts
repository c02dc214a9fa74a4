import { client } from './client.ts';
import { daemonSetUpgrade } from './daemon-set-upgrade.ts';
import { describeOptions, UsageError } from './options.ts';
import { extendedDaemonSet } from './extended-daemonset.ts';
import { nodeAgent } from './node-agent.ts';
import { pools } from './pools.ts';
import type { Scenario } from './scenario.ts';
import { unitedDeployments } from './united-deployments.ts';
import { webhook } from './webhook.ts';

const scenarios: readonly Scenario[] = [
  client,
  pools,
  unitedDeployments,
  daemonSetUpgrade,
  extendedDaemonSet,
  nodeAgent,
  webhook,
];

function help(): string {
  const lines = scenarios.flatMap(({ name, summary, options }) => [
    `  ${name.padEnd(18)} ${summary}`,
    ...describeOptions(options).map((line) => `      ${line}`),
  ]);
  return ['Usage: npm run bench -- <scenario> [options]', '', 'Scenarios:', ...lines, ''].join('\n');
}

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(help());
    return name === undefined ? 2 : 0;
  }
  const scenario = scenarios.find((each) => each.name === name);
  if (scenario === undefined) {
    const known = scenarios.map((each) => each.name).join(', ');
    process.stderr.write(`unknown scenario ${JSON.stringify(name)}; there are: ${known}\n`);
    return 2;
  }
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(help());
    return 0;
  }
  try {
    await scenario.run(args);
    return 0;
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
