import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';

interface Connection {
  readonly socket: Socket;
  /** The one that is answered, or that is on its way; undefined between two. */
  request: IncomingMessage | undefined;
}

/**
 * Bounds the connections of a server. Where one more comes, the one is closed that has been without a whole request for longest: who opens
 * many and sends nothing, or half a request, must not keep out probes and others. The new one is closed only where all are being answered.
 */
export function boundConnections(server: Server | TlsServer, most: number): void {
  /** In the order of the time since which they have been without a request. */
  const connections = new Map<unknown, Connection>();
  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    const connection: Connection = { socket, request: undefined };
    connections.set(key, connection);
    socket.once('close', () => {
      if (connections.get(key) === connection) connections.delete(key);
    });
    if (connections.size > most) closeOne(connections);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const key = keyOf(request.socket);
    const connection = connections.get(key);
    if (connection === undefined) return;
    connection.request = request;
    response.once('close', () => {
      if (connection.request !== request || connections.get(key) !== connection) return;
      connection.request = undefined;
      connections.delete(key);
      connections.set(key, connection);
    });
  });
}

function closeOne(connections: Map<unknown, Connection>): void {
  for (const [key, { socket, request }] of connections) {
    if (request?.complete === true) continue;
    connections.delete(key);
    socket.destroy();
    return;
  }
}

/** With TLS the socket of a request is another one than that of its connection, from the same port. Unix sockets have none, and no TLS. */
function keyOf(socket: Socket): unknown {
  const { remoteAddress, remotePort } = socket;
  return remotePort === undefined ? socket : `${remoteAddress ?? ''} ${remotePort}`;
}
