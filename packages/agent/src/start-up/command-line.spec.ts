import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('a failure ends the process, whatever still runs in it', { timeout: 120_000 }, async () => {
  const program = `
    setInterval(() => undefined, 1_000);
    await import(${JSON.stringify(fileURLToPath(new URL('command-line.ts', import.meta.url)))});
  `;
  const flags = ['--node-name', 'node-1', '--kubeconfig', '/nowhere'];
  const args = ['--input-type=module', '--eval', program, '--', ...flags];
  const ended = await new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: 100_000 }, (error, _, stderr) =>
      resolve([error?.code, error?.killed, stderr]),
    );
  });
  expect(ended).toEqual([1, false, 'atoll-agent: /nowhere: no such file\n']);
});
