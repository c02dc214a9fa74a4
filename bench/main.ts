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

const whereHelpIs = 'npm run bench -- --help shows what is allowed';

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
    process.stderr.write(
      `error: unknown scenario ${JSON.stringify(name)}; there are ${known}. ${whereHelpIs}\n`,
    );
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
    const message = error instanceof Error ? error.message : String(error);
    const isUsage = error instanceof UsageError;
    process.stderr.write(isUsage ? `error: ${name}: ${message}. ${whereHelpIs}\n` : `${name}: ${message}\n`);
    return isUsage ? 2 : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
