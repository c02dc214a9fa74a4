import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { boundedPipeline } from './bounded-pipeline.ts';
import { createHttpServer } from './node-servers.ts';

let close: (() => void) | undefined;
afterEach(() => close?.());

async function serving(answer: string) {
  let begun = 0;
  const server = createHttpServer(
    boundedPipeline((_, response) => {
      begun += 1;
      response.end(answer);
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => void server.close();
  const { port } = server.address() as AddressInfo;
  return { port, begun: () => begun };
}

const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

it('closes a connection that asks for hundreds of answers and takes none', async () => {
  const { port, begun } = await serving('x'.repeat(10_000_000));
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(request.repeat(400));
  const closed = once(socket, 'close');
  socket.resume();
  await closed;
  expect(begun()).toBeLessThanOrEqual(2);
});

it('answers thousands of requests of a connection, one after the other', async () => {
  const { port, begun } = await serving('done');
  const socket = connect(port, '127.0.0.1');
  for (let number = 0; number < 2_000; number += 1) {
    socket.write(request);
    await once(socket, 'data');
  }
  socket.destroy();
  expect(begun()).toBe(2_000);
});
