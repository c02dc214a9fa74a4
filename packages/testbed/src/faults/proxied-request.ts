import type { KubeObject } from '@atoll/kube';
import { parse } from 'yaml';

/** The API server's own words for what a request does; `other` where the path names no resource. */
export type Verb =
  'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'other';

export const writeVerbs: readonly Verb[] = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** A request on its way to the API server, read the way the API server reads it. */
export interface ProxiedRequest {
  readonly verb: Verb;
  /** `pods`, `deployments.apps`; empty where the path names no resource. */
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  /** From the path; of a create, from the body. */
  readonly name: string | undefined;
  readonly method: string;
  /** Path and query as they came. */
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** As Node gives them: name, value, name, value. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** The body as an object, where it is JSON or YAML. */
  readonly object: KubeObject | undefined;
}

interface RequestLine {
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export function readRequest({ method, target, rawHeaders, body }: RequestLine): ProxiedRequest {
  const question = target.indexOf('?');
  const path = question === -1 ? target : target.slice(0, question);
  const query = new URLSearchParams(question === -1 ? '' : target.slice(question + 1));
  const place = placeOf(path);
  const object = parseBody(body);
  const verb = place === undefined ? 'other' : verbOf(method, place.name, query);
  return {
    verb,
    resource: place?.resource ?? '',
    subresource: place?.subresource,
    namespace: place?.namespace,
    name: place?.name ?? (verb === 'create' ? object?.metadata?.name : undefined),
    method,
    target,
    path,
    query,
    rawHeaders,
    body,
    object,
  };
}

interface Place {
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** `/api/v1/…` and `/apis/<group>/<version>/…`, as the API server's request info resolver takes them apart. */
function placeOf(path: string): Place | undefined {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const grouped = parts[0] === 'apis';
  if (!grouped && parts[0] !== 'api') return undefined;
  const group = grouped ? (parts[1] ?? '') : '';
  const rest = parts.slice(grouped ? 3 : 2);
  // `namespaces/x` and its subresources are the namespace itself; everything deeper lies within it.
  const within =
    rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize';
  const [plural, name, subresource] = within ? rest.slice(2) : rest;
  if (plural === undefined) return undefined;
  const resource = group === '' ? plural : `${plural}.${group}`;
  return { resource, name, subresource, namespace: within ? rest[1] : undefined };
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): Verb {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (query.get('watch') === 'true' || query.get('watch') === '1') return 'watch';
      return name === undefined ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
    default:
      return 'other';
  }
}

function parseBody(body: Buffer): KubeObject | undefined {
  if (body.length === 0) return undefined;
  const text = body.toString();
  try {
    return asObject(JSON.parse(text));
  } catch {
    try {
      return asObject(parse(text));
    } catch {
      return undefined; // protobuf, or nothing that concerns a matcher
    }
  }
}

function asObject(value: unknown): KubeObject | undefined {
  return typeof value === 'object' && value !== null ? (value as KubeObject) : undefined;
}
