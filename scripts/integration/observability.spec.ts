import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { obtainGoTool } from '@atoll/testbed';
import { beforeAll, expect, it } from 'vitest';
import { goTools } from '../go-tools.ts';
import { observabilityFolder } from '../observability.ts';

let promtool: string;

beforeAll(async () => {
  promtool = await obtainGoTool(goTools.promtool);
}, 1_800_000);

const run = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(promtool, args, { cwd: observabilityFolder })).stdout;

it('the rules are what Prometheus takes', async () => {
  await expect(run('check', 'rules', '--lint=all', '--lint-fatal', 'rules.yaml')).resolves.toContain(
    'SUCCESS',
  );
});

it('each alert fires for what it is about, and for nothing else', async () => {
  await expect(run('test', 'rules', 'rules.test.yaml')).resolves.toContain('SUCCESS');
});
