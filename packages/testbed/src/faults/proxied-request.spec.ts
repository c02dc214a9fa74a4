import { describe, expect, it } from 'vitest';
import { readRequest } from './proxied-request.ts';
import type { ProxiedRequest } from './proxied-request.ts';
import { fits, takes } from './request-match.ts';
import type { RequestMatch } from './request-match.ts';

function read(method: string, target: string, body = ''): ProxiedRequest {
  return readRequest({ method, target, rawHeaders: [], body: Buffer.from(body) });
}

describe('a request is read as the API server reads it', () => {
  const apps = '/apis/apps/v1';
  it.each<[string, string, Partial<ProxiedRequest>]>([
    [
      'GET',
      '/api/v1/pods?limit=500',
      { verb: 'list', resource: 'pods', namespace: undefined, name: undefined },
    ],
    ['GET', '/api/v1/pods?watch=true', { verb: 'watch', resource: 'pods' }],
    ['GET', '/api/v1/pods?watch=1', { verb: 'watch' }],
    ['GET', '/api/v1/namespaces/edge/pods/web', { verb: 'get', namespace: 'edge', name: 'web' }],
    [
      'GET',
      '/api/v1/namespaces/edge',
      { verb: 'get', resource: 'namespaces', name: 'edge', namespace: undefined },
    ],
    [
      'PUT',
      '/api/v1/namespaces/edge/finalize',
      { verb: 'update', resource: 'namespaces', subresource: 'finalize' },
    ],
    [
      'POST',
      `${apps}/namespaces/edge/deployments`,
      { verb: 'create', resource: 'deployments.apps', name: undefined },
    ],
    [
      'PATCH',
      `${apps}/namespaces/edge/deployments/web/status`,
      { verb: 'patch', name: 'web', subresource: 'status' },
    ],
    ['DELETE', '/api/v1/nodes/n1', { verb: 'delete', resource: 'nodes', name: 'n1' }],
    ['DELETE', '/api/v1/namespaces/edge/pods', { verb: 'deletecollection', namespace: 'edge' }],
    ['GET', '/readyz?verbose', { verb: 'other', resource: '', path: '/readyz' }],
    ['GET', '/apis/apps/v1', { verb: 'other', resource: '' }],
    ['GET', '/api/v1/nodes/a%2Fb', { name: 'a/b' }],
  ])('%s %s', (method, target, expected) => {
    expect(read(method, target)).toMatchObject(expected);
  });

  it.each([
    ['JSON', '{"metadata":{"name":"web"}}', 'web'],
    ['YAML', 'metadata:\n  name: web\n', 'web'],
    ['something else', '\u0000k8s:\u0001', undefined],
    ['a generated name', '{"metadata":{"generateName":"web-"}}', undefined],
  ])('takes the name of a create from its body: %s', (_, body, name) => {
    expect(read('POST', '/api/v1/namespaces/edge/pods', body).name).toBe(name);
  });
});

describe('a match', () => {
  const patch = read('PATCH', '/apis/apps/v1/namespaces/edge/deployments/web/status');
  it.each<[RequestMatch, boolean]>([
    [{}, true],
    [{ verb: 'write' }, true],
    [{ verb: ['create', 'patch'] }, true],
    [{ verb: 'get' }, false],
    [{ resource: 'deployments.apps', namespace: 'edge', name: 'web', subresource: 'status' }, true],
    [{ resource: ['pods', 'nodes'] }, false],
    [{ except: ['deployments.apps'] }, false],
    [{ except: ['leases.coordination.k8s.io'] }, true],
    [{ subresource: '' }, false],
    [{ namespace: 'other' }, false],
    [{ name: 'other' }, false],
    [{ where: (request) => request.subresource === 'status' }, true],
    [{ where: () => false }, false],
  ])('%j: %s', (match, expected) => {
    expect(fits(match, patch)).toBe(expected);
  });

  it.each<[RequestMatch, readonly number[]]>([
    [{}, [1, 2, 3, 4, 5]],
    [{ times: 2 }, [1, 2]],
    [{ nth: 2 }, [2]],
    [{ nth: 2, times: 3 }, [2, 3, 4]],
  ])('%j takes of five requests: %j', (match, expected) => {
    expect([1, 2, 3, 4, 5].filter((count) => takes(match, count))).toEqual(expected);
  });
});
