import { describe, expect, it } from 'vitest';
import {
  ApiError,
  cloneSets,
  customResourceDefinitions,
  deployments,
  nodes,
  type KubeObject,
  type RawRequest,
  type Resource,
} from '@atoll/kube';
import { leaseRights } from './needed-rights.ts';
import { preflight, type NeededRight } from './preflight.ts';

const rights: readonly NeededRight[] = [
  { resource: nodes as Resource<KubeObject>, verb: 'list' },
  { resource: nodes as Resource<KubeObject>, verb: 'patch' },
  { resource: deployments as Resource<KubeObject>, verb: 'create' },
  { resource: deployments as Resource<KubeObject>, verb: 'patch', subresource: 'status' },
];

interface Server {
  readonly served: readonly string[];
  readonly allowed: (resource: string, verb: string) => boolean;
  readonly fault?: ApiError;
}

function clientOf(server: Server) {
  return {
    async raw({ path, body }: RawRequest) {
      if (server.fault !== undefined) throw server.fault;
      return { code: 200, headers: {}, body: Buffer.from(JSON.stringify(answer(server, path, body))) };
    },
  };
}

function answer(server: Server, path: string, body: string | undefined): unknown {
  if (path === '/version') return { gitVersion: 'v1.36.3', major: '1', minor: '36' };
  if (body === undefined) {
    return { resources: server.served.map((name) => ({ name, kind: 'X', namespaced: true })) };
  }
  const { resource, verb } = (JSON.parse(body) as { spec: { resourceAttributes: Record<string, string> } })
    .spec.resourceAttributes;
  return { status: { allowed: server.allowed(resource ?? '', verb ?? '') } };
}

async function check(server: Server): Promise<string> {
  return preflight(clientOf(server), 'https://cluster', rights, new AbortController().signal);
}

describe('the preflight', () => {
  it('learns the version of a server that serves and allows everything', async () => {
    expect(await check({ served: ['nodes', 'deployments'], allowed: () => true })).toBe('v1.36.3');
  });

  it('names every resource that is not served', async () => {
    await expect(check({ served: [], allowed: () => true })).rejects.toThrow(
      'The API server at https://cluster does not serve deployments.apps v1, nodes v1: install',
    );
  });

  it('names every verb that is not allowed', async () => {
    const allowed = (resource: string, verb: string): boolean => resource === 'nodes' && verb === 'list';
    await expect(check({ served: ['nodes', 'deployments'], allowed })).rejects.toThrow(
      'does not allow this user to create deployments.apps; patch deployments.apps/status; patch nodes: bind',
    );
  });

  describe('of a kind that need not be installed', () => {
    const optional: readonly NeededRight[] = [
      { resource: nodes as Resource<KubeObject>, verb: 'list' },
      { resource: cloneSets as Resource<KubeObject>, verb: 'list', ifServed: true },
    ];
    const signal = new AbortController().signal;
    const served = ['nodes', 'clonesets'];

    it('asks for no right where it is not installed', async () => {
      const client = clientOf({ served: ['nodes'], allowed: (resource) => resource === 'nodes' });
      expect(await preflight(client, 'https://cluster', optional, signal)).toBe('v1.36.3');
    });

    it('asks for every right where it is', async () => {
      const client = clientOf({ served, allowed: (resource) => resource === 'nodes' });
      await expect(preflight(client, 'https://cluster', optional, signal)).rejects.toThrow(
        'does not allow this user to list clonesets.apps.kruise.io: bind',
      );
    });
  });

  it('names the one object that a right is for', async () => {
    const name = 'clonesets.apps.kruise.io';
    const needed = [{ resource: customResourceDefinitions as Resource<KubeObject>, verb: 'watch', name }];
    const client = clientOf({ served: ['customresourcedefinitions'], allowed: () => false });
    await expect(preflight(client, 'https://cluster', needed, new AbortController().signal)).rejects.toThrow(
      `does not allow this user to watch customresourcedefinitions.apiextensions.k8s.io ${name}: bind`,
    );
  });

  it('names the place where a right is missing', async () => {
    const client = clientOf({ served: ['leases'], allowed: () => false });
    const needed = leaseRights({ namespace: 'edge', name: 'atoll' });
    await expect(preflight(client, 'https://cluster', needed, new AbortController().signal)).rejects.toThrow(
      'does not allow this user to create leases.coordination.k8s.io in edge; get, update leases.coordination.k8s.io edge/atoll: bind',
    );
  });

  it.each([
    [401, 'Unauthorized', 'it does not accept these credentials (401 Unauthorized).'],
    [0, 'NetworkError', 'connect ECONNREFUSED'],
  ])('says why a server that answers %i cannot be used', async (code, reason, message) => {
    const fault = new ApiError({
      fate: 'unsent',
      code,
      reason,
      message: 'connect ECONNREFUSED',
      attempted: 'get /version',
    });
    await expect(check({ served: [], allowed: () => true, fault })).rejects.toThrow(
      `Cannot use the API server at https://cluster: ${message}`,
    );
  });
});
