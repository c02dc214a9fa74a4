import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const file = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));

it('a failure ends the process, whatever still runs in it', { timeout: 120_000 }, async () => {
  const program = `
    setInterval(() => undefined, 1_000);
    const { kindDefinitions } = await import(${file('../definitions/kind-definitions.ts')});
    const { runCommandLine } = await import(${file('run-command-line.ts')});
    await runCommandLine(kindDefinitions);
  `;
  const args = ['--input-type=module', '--eval', program, '--', '--kubeconfig', '/nowhere'];
  const ended = await new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: 100_000 }, (error, _, stderr) =>
      resolve([error?.code, error?.killed, stderr]),
    );
  });
  expect(ended).toEqual([1, false, 'atoll-operator: /nowhere: no such file\n']);
});
