import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Surroundings } from '../program/run-program.ts';
import { runKubectlEds } from './kubectl-eds.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly requests: readonly (Pick<IncomingMessage, 'method' | 'url' | 'headers'> & {
    readonly body: string;
  })[];
}

/** What the server answers. */
export interface Answer {
  readonly code?: number;
  readonly body: object | string;
}

/** What is run instead of `kubectl-eds`, and with which variables. */
interface Program {
  readonly run: (surroundings: Surroundings) => Promise<number>;
  readonly env: Surroundings['env'];
}

/** A refusal of the API server; `field`: what it is about. */
export function refusal(
  code: number,
  reason: string,
  message: string,
  field?: string,
): { readonly code: number; readonly body: object } {
  const details = field === undefined ? {} : { details: { causes: [{ field }] } };
  return {
    code,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, ...details },
  };
}

/** Runs a command against a server that answers every request so: what the command line means is asked, not what a cluster does. */
export async function runServed(
  args: readonly string[],
  answer: (request: IncomingMessage) => Answer | Promise<Answer>,
  { run = runKubectlEds, env = {} }: Partial<Program> = {},
): Promise<Ran> {
  const requests: Ran['requests'][number][] = [];
  const server = createServer((request, response) => {
    void text(request).then(async (sent) => {
      const { method, url, headers } = request;
      requests.push({ method, url, headers, body: sent });
      const { code = 200, body } = await answer(request);
      response
        .writeHead(code, { 'content-type': 'application/json' })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const argv = ['node', 'kubectl-eds', ...args, '--server', `http://127.0.0.1:${port}`];
  const code = await run({ argv, env: { HOME: '/nobody', ...env }, stdout, stderr });
  stdout.end();
  stderr.end();
  server.close();
  server.closeAllConnections();
  return { code, out: await text(stdout), err: await text(stderr), requests };
}
