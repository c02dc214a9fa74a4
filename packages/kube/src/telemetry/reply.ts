import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PageAccess } from './page-access.ts';

/** Answers in plain text, unless another type is given. */
export function reply(
  response: ServerResponse,
  code: number,
  body: string,
  contentType = 'text/plain; charset=utf-8',
): void {
  response.writeHead(code, {
    'content-type': contentType,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  });
  response.end(body);
}

/** Answers 405 with the methods that the page has. */
export function refuseMethod(response: ServerResponse, allowed: readonly string[]): void {
  response.setHeader('allow', allowed.join(', '));
  return reply(response, 405, 'method not allowed\n');
}

/** Whether a caller sees the page; one that does not has been answered. */
export async function letIn(
  access: PageAccess,
  verb: string,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const { headers, socket } = request;
  const { authorization } = headers;
  const decision = await access({ authorization, verb, path, address: socket.remoteAddress });
  if (decision.allowed) return true;
  if (decision.code === 401) response.setHeader('www-authenticate', 'Bearer');
  reply(response, decision.code, `${decision.message}\n`);
  return false;
}
