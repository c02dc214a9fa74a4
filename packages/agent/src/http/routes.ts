import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';

/** A request that a route takes. */
export interface Call {
  /** Who calls, and from where, as far as that is known. */
  readonly caller: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Exact and case-sensitive; `{name}` stands for one segment that is a Kubernetes name. */
  readonly path: string;
  /** Changes something: each call is one line of the audit log. */
  readonly writes?: true;
  /** Needs no credentials. */
  readonly open?: true;
  /** Undefined: it has answered by itself. */
  handle(call: Call): Promise<Answer | undefined> | Answer | undefined;
}

export type Match =
  | {
      readonly kind: 'route';
      readonly route: Route;
      readonly parameters: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'wrong-method'; readonly allowed: readonly string[] }
  | { readonly kind: 'unknown' };

/** Finds the route of a request. */
export function matchRoute(routes: readonly Route[], method: string, path: string): Match {
  const fitting = routes.flatMap((route) => {
    const parameters = matchPath(route.path, path);
    return parameters === undefined ? [] : [{ route, parameters }];
  });
  const found = fitting.find(({ route }) => route.method === method);
  if (found !== undefined) return { kind: 'route', ...found };
  if (fitting.length === 0) return { kind: 'unknown' };
  return { kind: 'wrong-method', allowed: fitting.map(({ route }) => route.method) };
}

/** DNS subdomain of RFC 1123, which names of pods and nodes are; nothing else can exist, or reach the API server's paths. */
export const kubernetesName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const expected = pattern.split('/');
  const given = path.split('/');
  if (expected.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of expected.entries()) {
    const value = given[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined) {
      if (value !== segment) return undefined;
    } else {
      if (!kubernetesName.test(value)) return undefined;
      parameters[name] = value;
    }
  }
  return parameters;
}
