import { spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../main.ts', import.meta.url));
const pods = Array.from({ length: 50 }, (_, index) => ({
  metadata: { namespace: 'shop', name: `web-${index}`, ownerReferences: [{ kind: 'DaemonSet', uid: 'd' }] },
}));

/** `atoll-agent upgrade --all` against an agent that refuses the pods of these names; `readOnce`: the output is closed after its first bytes. */
async function upgradeAll(stdio: StdioOptions, refused: readonly string[] = [], readOnce = false) {
  let upgrades = 0;
  const agent = createServer(({ method, url = '' }, response) => {
    if (method === 'POST') {
      upgrades += 1;
      response.statusCode = refused.some((name) => url.includes(`/${name}/`)) ? 403 : 200;
      response.end('x');
    } else if (url.startsWith('/pods')) response.end(JSON.stringify({ items: pods }));
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('event: status\ndata: {"state":"ready","newPod":{"name":"n","uid":"u"}}\n\n');
    }
  });
  agent.listen(0, '127.0.0.1');
  await once(agent, 'listening');
  const address = `http://127.0.0.1:${(agent.address() as AddressInfo).port}`;
  const child = spawn(process.execPath, [program, 'upgrade', '--all', '--address', address], { stdio });
  if (readOnce) child.stdout?.once('data', () => child.stdout?.destroy());
  const complaint = child.stderr === null ? '' : text(child.stderr);
  const [code] = (await once(child, 'close')) as [number];
  agent.close();
  agent.closeAllConnections();
  return { code, upgrades, complaint: await complaint };
}

describe('upgrade --all whose output is lost', { timeout: 30_000 }, () => {
  it('upgrades all pods where nobody reads it any more, without a word', async () => {
    expect(await upgradeAll('pipe', [], true)).toEqual({ code: 0, upgrades: 50, complaint: '' });
  });

  it('ends with the exit code of the upgrades', async () => {
    expect(await upgradeAll('pipe', ['web-40'], true)).toEqual({ code: 1, upgrades: 50, complaint: '' });
  });

  it('upgrades all pods where the disk under it is full, and reports that once', async () => {
    const full = openSync('/dev/full', 'w');
    const ended = await upgradeAll(['ignore', full, 'pipe']);
    closeSync(full);
    expect(ended).toMatchObject({ code: 0, upgrades: 50 });
    expect(ended.complaint).toMatch(/^atoll-agent: the output cannot be written: ENOSPC.*\n$/);
  });
});
