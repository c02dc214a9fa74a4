import { describe, expect, it } from 'vitest';
import {
  ApiError,
  customResourceDefinitions,
  declareCache,
  deployments,
  nodes,
  type KubeObject,
  type RawRequest,
  type Resource,
} from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { cloneSets } from '@atoll/api';
import { leaseRights, neededRights } from './needed-rights.ts';
import { preflight, PreflightError, type NeededRight } from './preflight.ts';

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
  /** What `/readyz` answers with, where it is not `ok`. */
  readonly unready?: ApiError;
}

function clientOf(server: Server) {
  return {
    async raw({ path, body }: RawRequest) {
      if (server.fault !== undefined) throw server.fault;
      if (path === '/readyz' && server.unready !== undefined) throw server.unready;
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

describe('limited to namespaces', () => {
  const needed = neededRights(
    [
      {
        reads: { nodes: declareCache({ resource: nodes, indexers: {} }) },
        writes: [{ resource: deployments as Resource<KubeObject>, verbs: ['create', 'delete'] }],
      },
    ],
    ['edge', 'lab'],
  );

  interface Cluster {
    readonly namespaces: Readonly<Record<string, object>>;
    readonly allowed: (namespace: string, verb: string) => boolean;
    /** What a review of all rights in a namespace answers. Default: that it cannot say. */
    readonly rules?: (namespace: string) => object;
    /** Each question about rights. */
    readonly asked?: string[];
  }

  async function look({ namespaces: there, allowed, rules, asked }: Cluster): Promise<string> {
    const client = {
      async raw({ path, body }: RawRequest) {
        if (body !== undefined) asked?.push(path.slice(path.lastIndexOf('/') + 1));
        if (path.endsWith('/selfsubjectrulesreviews')) {
          const { spec } = JSON.parse(body ?? '') as { spec: { namespace: string } };
          return reply({ status: rules?.(spec.namespace) ?? { incomplete: true, resourceRules: [] } });
        }
        const name = /^\/api\/v1\/namespaces\/(.+)$/.exec(path)?.[1];
        if (name !== undefined && there[name] === undefined) throw refusalOf(404, path, 'no');
        if (name !== undefined) return reply({ metadata: { name, ...there[name] } });
        if (body === undefined) return reply(answer({ served, allowed: () => true }, path, body));
        const { namespace = '', verb = '' } = (
          JSON.parse(body) as { spec: { resourceAttributes: Record<string, string> } }
        ).spec.resourceAttributes;
        return reply({ status: { allowed: namespace === '' || allowed(namespace, verb) } });
      },
    };
    return preflight(client, 'https://cluster', needed, new AbortController().signal);
  }

  const served = ['nodes', 'deployments', 'namespaces'];
  const reply = (value: unknown) => ({ code: 200, headers: {}, body: Buffer.from(JSON.stringify(value)) });

  it('asks in each namespace, and of what is in none as ever', () => {
    const texts = needed.map(({ resource, verb, namespace = '-', name = '-' }) =>
      [verb, resource.plural, namespace, name].join(' '),
    );
    expect(texts).toEqual([
      'get namespaces - edge',
      'list namespaces - edge',
      'watch namespaces - edge',
      'get namespaces - lab',
      'list namespaces - lab',
      'watch namespaces - lab',
      'get nodes - -',
      'list nodes - -',
      'watch nodes - -',
      'create deployments edge -',
      'delete deployments edge -',
      'create deployments lab -',
      'delete deployments lab -',
    ]);
  });

  it('names the namespace and the right that is missing there', async () => {
    const allowed = (namespace: string, verb: string): boolean => namespace !== 'lab' || verb === 'create';
    await expect(look({ namespaces: { edge: {}, lab: {} }, allowed })).rejects.toThrow(
      'does not allow this user to delete deployments.apps in lab: bind the roles that the chart renders for its namespaces',
    );
  });

  it('names a namespace once in which nothing is allowed', async () => {
    const allowed = (namespace: string): boolean => namespace !== 'lab';
    await expect(look({ namespaces: { edge: {}, lab: {} }, allowed })).rejects.toThrow(
      'does not allow this user to do anything in the namespace lab: bind',
    );
  });

  describe('asks once for all rights in a namespace', () => {
    const role = (...verbs: readonly string[]) => ({
      verbs,
      apiGroups: ['apps'],
      resources: ['deployments'],
    });
    const everywhere = { namespaces: { edge: {}, lab: {} }, allowed: () => true };
    const ofNodesAndNamespaces = 9;
    const inNamespaces = (asked: readonly string[]): readonly string[] =>
      asked.slice(0).sort().slice(ofNodesAndNamespaces);

    it('and for none of them by itself that it shows', async () => {
      const asked: string[] = [];
      const rules = () => ({ incomplete: true, resourceRules: [role('create'), role('delete')] });
      await look({ ...everywhere, rules, asked });
      expect(inNamespaces(asked)).toEqual(['selfsubjectrulesreviews', 'selfsubjectrulesreviews']);
    });

    it('and for no other where it shows all', async () => {
      const asked: string[] = [];
      const rules = (namespace: string) => ({
        incomplete: false,
        resourceRules: namespace === 'lab' ? [role('create', 'patch')] : [{ ...role('*'), resources: ['*'] }],
      });
      await expect(look({ ...everywhere, rules, asked })).rejects.toThrow(
        'does not allow this user to delete deployments.apps in lab: bind',
      );
      expect(inNamespaces(asked)).toEqual(['selfsubjectrulesreviews', 'selfsubjectrulesreviews']);
    });

    it.each([403, 404, 501])('and for each by itself where that is answered with %i', async (code) => {
      const asked: string[] = [];
      const rules = (): object => {
        const why = { code, reason: 'Unknown', message: 'not here', attempted: 'POST /apis/…' } as const;
        throw new ApiError({ fate: 'refused', ...why });
      };
      expect(await look({ ...everywhere, rules, asked })).toBe('v1.36.3');
      expect(asked.filter((each) => each === 'selfsubjectaccessreviews')).toHaveLength(13);
    });

    it('and for the others where an authorizer may allow them without rules', async () => {
      const asked: string[] = [];
      const named = { ...role('delete'), resourceNames: ['web'] };
      const rules = () => ({ incomplete: true, resourceRules: [role('create'), named] });
      await look({ ...everywhere, rules, asked });
      expect(inNamespaces(asked)).toEqual([
        'selfsubjectaccessreviews',
        'selfsubjectaccessreviews',
        'selfsubjectrulesreviews',
        'selfsubjectrulesreviews',
      ]);
    });
  });

  it.each([
    ['does not exist', {}],
    ['is being deleted', { lab: { deletionTimestamp: '2026-11-01T10:00:00Z' } }],
  ])('asks for nothing in a namespace that %s', async (_, lab) => {
    const allowed = (namespace: string): boolean => namespace !== 'lab';
    expect(await look({ namespaces: { edge: {}, ...lab }, allowed })).toBe('v1.36.3');
  });
});

async function check(server: Server): Promise<string> {
  return preflight(clientOf(server), 'https://cluster', rights, new AbortController().signal);
}

async function failureOf(work: Promise<unknown>): Promise<PreflightError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PreflightError)) throw new Error('no PreflightError', { cause: error });
  return error;
}

describe('the preflight', () => {
  it('reads the version of a server that serves and allows everything', async () => {
    expect(await check({ served: ['nodes', 'deployments'], allowed: () => true })).toBe('v1.36.3');
  });

  it('names every resource that is not served', async () => {
    await expect(check({ served: [], allowed: () => true })).rejects.toThrow(
      'The API server at https://cluster does not serve deployments.apps v1, nodes v1: install',
    );
  });

  it('names what to do where definitions were deleted', async () => {
    await expect(check({ served: [], allowed: () => true })).rejects.toThrow(
      /Where somebody deleted them, see .+#a-definition-was-deleted\.$/,
    );
  });

  it('names every verb that is not allowed', async () => {
    const allowed = (resource: string, verb: string): boolean => resource === 'nodes' && verb === 'list';
    await expect(check({ served: ['nodes', 'deployments'], allowed })).rejects.toThrow(
      'does not allow this user to create deployments.apps; patch deployments.apps/status; patch nodes: bind',
    );
  });

  const answering = (reviewed: () => object) => {
    const client = clientOf({ served: ['nodes', 'deployments'], allowed: () => true });
    return {
      raw: async (request: RawRequest) =>
        request.path.endsWith('/selfsubjectaccessreviews')
          ? { code: 200, headers: {}, body: Buffer.from(JSON.stringify({ status: reviewed() })) }
          : client.raw(request),
    };
  };
  const { signal: never } = new AbortController();

  it.each([
    ['reason', { allowed: false, reason: 'RBAC: clusterrole "atoll" not found' }],
    [
      'evaluationError',
      { allowed: false, evaluationError: 'RBAC: clusterrole "atoll" not found', reason: '' },
    ],
  ])('says once what the authorizer says, in its %s', async (_, status) => {
    await expect(
      preflight(
        answering(() => status),
        'https://cluster',
        rights,
        never,
      ),
    ).rejects.toThrow(
      /bind the roles of deploy\/rbac.yaml to it. It says: RBAC: clusterrole "atoll" not found.$/,
    );
  });

  it('says what is missing where it may not even ask', async () => {
    const client = answering(() => {
      const why = { code: 403, reason: 'Forbidden', message: 'is forbidden' } as const;
      throw new ApiError({ fate: 'refused', attempted: 'POST /apis/…', ...why });
    });
    const failure = await failureOf(preflight(client, 'https://cluster', rights, never));
    expect([failure.message, failure.mayPass]).toEqual([
      'The API server at https://cluster does not allow this user to ask what it may do (create selfsubjectaccessreviews.authorization.k8s.io): bind the ClusterRole system:basic-user to it.',
      false,
    ]);
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

  it.each<[string, Partial<ConstructorParameters<typeof ApiError>[0]>, string, boolean]>([
    ['401', { code: 401, reason: 'Unauthorized' }, 'it does not accept these credentials', false],
    ['403 even to its version', { code: 403, reason: 'Forbidden', message: 'no roles' }, 'no roles', true],
    ['429', { code: 429, reason: 'TooManyRequests', message: 'later' }, 'later', true],
    ['500', { code: 500, reason: 'InternalError', message: 'etcd is away' }, 'etcd is away', true],
    ['nothing, and refuses connections', { message: 'connect ECONNREFUSED' }, 'connect ECONNREFUSED', true],
    ['nothing in time', { reason: 'Timeout', message: 'no answer within 10000 ms' }, 'no answer', true],
    ['without credentials to send', { reason: 'Credentials', message: 'no token' }, 'no token', false],
    [
      'with the certificate of another authority',
      {
        message: 'self-signed certificate in certificate chain',
        cause: Object.assign(new Error('self-signed'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
      },
      'self-signed certificate',
      false,
    ],
    [
      'with a certificate for another name',
      { cause: Object.assign(new Error('altnames'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }) },
      '',
      false,
    ],
  ])(
    'of a server that answers %s reports why, and whether it may pass',
    async (_, fields, message, mayPass) => {
      const fate = fields.code === undefined ? 'unsent' : 'refused';
      const defaults = { code: 0, reason: 'NetworkError', message: 'broken', attempted: 'get /version' };
      const fault = new ApiError({ ...defaults, ...fields, fate });
      const failure = await failureOf(check({ served: [], allowed: () => true, fault }));
      expect(failure.message).toContain(`Cannot use the API server at https://cluster: ${message}`);
      expect(failure.mayPass).toBe(mayPass);
    },
  );

  describe('of a busy server', () => {
    const verbs = Array.from({ length: 30 }, (_, index) => `verb-${index}`);
    const many = verbs.map((verb): NeededRight => ({ resource: nodes as Resource<KubeObject>, verb }));
    const serving = { served: ['nodes', 'deployments'], allowed: () => true };
    const { signal } = new AbortController();

    /** `broken`: the question of a right that gets no answer. */
    function watched(broken?: () => string | undefined) {
      const seen = { paths: [] as string[], now: 0, most: 0 };
      const client = clientOf(serving);
      const raw = async (request: RawRequest) => {
        seen.paths.push(request.path);
        seen.most = Math.max(seen.most, (seen.now += 1));
        await new Promise((resolve) => setImmediate(resolve));
        seen.now -= 1;
        const verb = broken?.();
        if (verb !== undefined && request.body?.includes(`"${verb}"`) === true)
          throw new ApiError({
            fate: 'unsent',
            code: 0,
            reason: 'Timeout',
            message: 'none',
            attempted: 'review',
          });
        return client.raw(request);
      };
      return { seen, client: { raw } };
    }

    const reviews = (paths: readonly string[]): number =>
      paths.filter((path) => path.includes('selfsubjectaccessreviews')).length;

    it('asks a few questions at a time, and for each version of a group once', async () => {
      const { seen, client } = watched();
      await preflight(client, 'https://cluster', [...rights, ...many], signal);
      expect(seen.most).toBe(8);
      expect(reviews(seen.paths)).toBe(34);
      expect(seen.paths.filter((path) => /^\/apis?\/[^/]*(\/v1)?$/.test(path))).toEqual([
        '/api/v1',
        '/apis/apps/v1',
      ]);
    });

    it('asks no further when a question gets no answer, and then not again what was granted', async () => {
      let broken: string | undefined = 'verb-9';
      const { seen, client } = watched(() => broken);
      const granted = new Set<NeededRight>();
      const first = await failureOf(preflight(client, 'https://cluster', many, signal, granted));
      expect(first.mayPass).toBe(true);
      const asked = reviews(seen.paths);
      for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect([reviews(seen.paths), asked < 24]).toEqual([asked, true]);
      broken = undefined;
      seen.paths.length = 0;
      const left = many.length - granted.size;
      await preflight(client, 'https://cluster', many, signal, granted);
      expect([reviews(seen.paths), left > 0 && left < many.length]).toEqual([left, true]);
    });
  });

  it.each<[string, Server]>([
    ['what is not served', { served: [], allowed: () => true }],
    ['what is not allowed', { served: ['nodes', 'deployments'], allowed: () => false }],
  ])('of a server that still starts says nothing final of %s', async (_, server) => {
    expect((await failureOf(check(server))).mayPass).toBe(false);
    const unready = refusalOf(500, 'get /readyz', '[-]poststarthook/rbac/bootstrap-roles failed');
    expect((await failureOf(check({ ...server, unready }))).mayPass).toBe(true);
  });
});
