import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { KubeObject } from '@atoll/kube';
import { obtainGoTool } from '@atoll/testbed';
import { parseAllDocuments } from 'yaml';
import { root } from '../checks.ts';
import { chartFolder } from '../generate/chart.ts';
import { goTools } from '../go-tools.ts';

export const chart = join(root, chartFolder);
export const release = { name: 'atoll', namespace: 'atoll-system' };

/** A copy of the chart in which every definition is another one, as in a newer release: with this word in a description. */
export function withNewerDefinitions(folder: string, word: string): string {
  const newer = join(folder, word);
  cpSync(chart, newer, { recursive: true });
  for (const file of globSync(join(newer, 'definitions', '*.yaml'))) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('description: ', `description: ${word} `));
  }
  return newer;
}

export interface Helm extends Disposable {
  /** Yields what it prints; rejects with what it complains about. */
  run(...args: readonly string[]): Promise<string>;
  /** The objects that the chart renders to with these values. */
  render(...values: readonly string[]): Promise<readonly KubeObject[]>;
}

/** The real Helm, with folders of its own. */
export async function obtainHelm(kubeconfig = '/dev/null'): Promise<Helm> {
  const program = await obtainGoTool(goTools.helm);
  const home = mkdtempSync(join(tmpdir(), 'atoll-helm-'));
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    HELM_CACHE_HOME: join(home, 'cache'),
    HELM_CONFIG_HOME: join(home, 'config'),
    HELM_DATA_HOME: join(home, 'data'),
    KUBECONFIG: kubeconfig,
  };
  const run: Helm['run'] = async (...args) => {
    const { stdout } = await promisify(execFile)(program, args, { env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  };
  return {
    run,
    render: async (...values) => {
      const { name, namespace } = release;
      const text = await run('template', name, chart, `--namespace=${namespace}`, ...values);
      const documents = parseAllDocuments(text, { version: '1.1' }).map((each) => {
        // A key that is there twice, which Helm lets pass.
        for (const error of each.errors) throw error;
        return each.toJS() as KubeObject | null;
      });
      return documents.filter((each) => each !== null);
    },
    [Symbol.dispose]() {
      rmSync(home, { recursive: true, force: true });
    },
  };
}
