import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect as connectTcp, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../client/create-client.ts';
import { nodes } from '../objects/resources.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  ends.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** Why a list through the proxy fails; undefined: it does not. */
async function failureThrough(proxyUrl: string, server: string): Promise<string | undefined> {
  const access = { server, proxyUrl, insecureSkipTlsVerify: true, authorization: { type: 'none' } } as const;
  const client = createClient(access, { userAgent: 'spec', retry: { attempts: 1 }, timeoutMs: 2_000 });
  try {
    await client.list(nodes);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.close();
  }
}

describe('an error of a request that goes through a proxy names the proxy, and not its password', () => {
  const server = 'https://10.0.0.1:6443';

  it.each([
    [
      '407 Proxy Authentication Required',
      'it answered 407: it asks for a user and a password, which belong into its URL',
    ],
    ['502 Bad Gateway', 'it answered 502'],
  ])('%s', async (status, why) => {
    const proxy = createHttpServer();
    proxy.on('connect', (_, socket) => socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`));
    const port = await listen(proxy);
    expect(await failureThrough(`http://me:secret@127.0.0.1:${port}`, server)).toBe(
      `list nodes: cannot reach ${server} through the proxy http://…@127.0.0.1:${port}: ${why}`,
    );
  });

  it('that is not there', async () => {
    expect(await failureThrough('http://me:secret@127.0.0.1:1', server)).toBe(
      `list nodes: cannot reach ${server} through the proxy http://…@127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1`,
    );
  });

  it('that does not answer', async () => {
    const port = await listen(createServer(() => undefined));
    expect(await failureThrough(`http://me:secret@127.0.0.1:${port}`, server)).toBe(
      `list nodes: no answer within 2000 ms through the proxy http://…@127.0.0.1:${port}`,
    );
  });
});

it('a SOCKS proxy is given user and password as they are, not as a URL spells them', async () => {
  const api = createHttpServer((_, response) =>
    response.end(JSON.stringify({ kind: 'NodeList', metadata: { resourceVersion: '1' }, items: [] })),
  );
  const apiPort = await listen(api);
  const given: string[] = [];
  const proxy = createServer((socket) => {
    const answers = [
      // The method with user and password (RFC 1928, 1929), then that they are good, then that the connection stands.
      () => socket.write(Buffer.from([5, 2])),
      (sent: Buffer) => {
        given.push(sent.subarray(2).toString());
        socket.write(Buffer.from([1, 0]));
      },
      () => {
        const onward = connectTcp(apiPort, '127.0.0.1', () => {
          socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
          socket.pipe(onward).pipe(socket);
        });
        onward.on('error', () => socket.destroy());
      },
    ];
    socket.on('data', (sent: Buffer) => answers.shift()?.(sent));
  });
  const port = await listen(proxy);
  const proxyUrl = `socks5://m%40il:p%40ss@127.0.0.1:${port}`;
  expect(await failureThrough(proxyUrl, `http://127.0.0.1:${apiPort}`)).toBeUndefined();
  expect(given).toEqual(['m@il\u0004p@ss']);
});
