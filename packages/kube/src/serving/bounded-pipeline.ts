import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers of one connection that its caller has not taken: one, and the next that may overlap with the end of its transfer. */
const untakenAtMost = 2;

/**
 * Bounds what one connection can make a server keep. Node begins with all requests that a caller sends at once, and holds their answers until the ones
 * before them are taken: a caller that sends hundreds and reads nothing would fill the memory. Such a connection is closed.
 */
export function boundedPipeline(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  const untaken = new WeakMap<object, number>();
  return (request, response) => {
    const { socket } = request;
    const count = (untaken.get(socket) ?? 0) + 1;
    if (count > untakenAtMost) {
      socket.destroy();
      return;
    }
    untaken.set(socket, count);
    response.once('close', () => untaken.set(socket, (untaken.get(socket) ?? 1) - 1));
    listener(request, response);
  };
}
