import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PageAccess } from './page-access.ts';
import { letIn, refuseMethod, reply } from './reply.ts';

/** What a page of {@link GuardedPages} answers. */
export interface PageAnswer {
  readonly code: number;
  readonly body: string;
  /** Default: plain text. */
  readonly contentType?: string;
}

/** A page besides health and metrics. */
export interface GuardedPage {
  readonly method: 'GET' | 'PUT';
  /** Answers for this path and, where it ends with `/`, for all below it. */
  readonly path: string;
  /** `rest`: what follows `path`, decoded, by its slashes. `body`: of a PUT, at most 1 KiB. */
  readonly answer: (rest: readonly string[], body: string) => PageAnswer;
}

/** Pages that nobody sees whom `access` does not let in. */
export interface GuardedPages {
  readonly access: PageAccess;
  readonly pages: readonly GuardedPage[];
}

/** Whether the path is that of one of the pages. */
export function isGuarded({ pages }: GuardedPages, asked: string): boolean {
  return pages.some(({ path }) => covers(path, asked));
}

const mostBodyBytes = 1024;

/** Answers for a path that {@link isGuarded}. */
export async function answerGuarded(
  { access, pages }: GuardedPages,
  asked: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const found = pages.filter(({ path }) => covers(path, asked));
  const page = found.find(({ method }) => method === request.method);
  if (page === undefined)
    return refuseMethod(
      response,
      found.map(({ method }) => method),
    );
  if (!(await letIn(access, page.method.toLowerCase(), asked, request, response))) return undefined;
  let body = '';
  for await (const chunk of request) {
    body += String(chunk);
    if (body.length > mostBodyBytes) return reply(response, 413, `at most ${mostBodyBytes} bytes\n`);
  }
  const rest = asked.slice(page.path.length).split('/').map(decoded);
  const { code, body: text, contentType } = page.answer(page.path.endsWith('/') ? rest : [], body);
  return reply(response, code, text, contentType);
}

/** An escape that is none is left as it is: no object has such a name. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function covers(path: string, asked: string): boolean {
  return path.endsWith('/') ? asked.startsWith(path) && asked.length > path.length : asked === path;
}
