// The kind of docs/contributing/adding-a-kind.md beside the shipped ones, in an operator of its own on a real control plane.
import { join } from 'node:path';
import { nodePools } from '@atoll/api';
import { configMaps, pods, type StreamingClient } from '@atoll/kube';
import { checkDefinitions, kindDefinitions, undeclaredBy } from '@atoll/operator';
import { install, installationOf } from '@atoll/operator/install';
import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, pool } from '../../packages/operator/integration/set-up/objects.ts';
import {
  operatorAccount,
  startOperatorControlPlane,
  withoutElection,
  type OperatorControlPlane,
} from '../../packages/operator/integration/set-up/operator-control-plane.ts';
import { eventually } from '../../packages/operator/integration/set-up/standing.ts';
import { untilGranted } from '../../packages/operator/integration/set-up/until-granted.ts';
import { poolConfigDefinition } from './definition.ts';
import { poolConfigs, type PoolConfig } from './schema/pool-config.ts';

const definitions = [...kindDefinitions, poolConfigDefinition];
let world: OperatorControlPlane;
let client: StreamingClient;

const key = { namespace: 'default', name: 'settings' };

function settings(data: Readonly<Record<string, string>>): PoolConfig {
  const nodePoolSelector = { matchLabels: { settings: 'yes' } };
  return { metadata: key, spec: { nodePoolSelector, data } };
}

/** The data of each pool's ConfigMap. */
async function found(): Promise<Readonly<Record<string, unknown>>> {
  const { items } = await client.list(configMaps, {
    namespace: 'default',
    labelSelector: 'examples.atoll.dev/pool',
  });
  return Object.fromEntries(
    items.map(({ metadata, data }) => [metadata.labels?.['examples.atoll.dev/pool'], data]),
  );
}

describe('a kind that is added', () => {
  it('fits to the shipped ones, and may send what it declares', () => {
    expect(() => checkDefinitions(definitions)).not.toThrow();
    const remove = {
      do: 'delete',
      key,
      uid: 'u',
      propagation: 'Background',
      why: { word: 'ChildDeleted', message: '' },
    } as const;
    const undeclared = undeclaredBy(definitions);
    expect(undeclared({ ...remove, resource: configMaps }, 'pool-config')).toBeUndefined();
    expect(undeclared({ ...remove, resource: pods }, 'pool-config')).toContain('may delete pods');
  });

  it('is refused at the start where it writes what it does not read', () => {
    const { poolConfigMaps: _, ...reads } = poolConfigDefinition.reads;
    const forgetful = { ...poolConfigDefinition, reads };
    expect(() => checkDefinitions([...kindDefinitions, forgetful])).toThrow(
      'pool-config writes configmaps and reads no cache of it',
    );
  });

  it('takes at most 120 lines besides its schema', () => {
    const files = readdirSync(import.meta.dirname).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'),
    );
    const lines = files.map(
      (name) =>
        readFileSync(join(import.meta.dirname, name), 'utf8')
          .trimEnd()
          .split('\n').length,
    );
    expect(lines.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(120);
  });
});

describe('a ConfigMap per pool', () => {
  beforeAll(async () => {
    world = await startOperatorControlPlane({});
    ({ client } = world);
    await install(client, { installation: await installationOf(definitions) });
    await untilGranted(await world.controlPlane.kubeconfigFor(operatorAccount), definitions);
    await world.start({ script: join(import.meta.dirname, 'main.ts'), args: withoutElection });
    for (const name of ['a', 'b']) await apply(client, nodePools, pool(name, { settings: 'yes' }));
    await apply(client, nodePools, pool('other', {}));
    await apply(client, poolConfigs, settings({ mode: 'fast', level: '1' }));
  });

  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  it('is there for each selected pool, and the status reports it', async () => {
    await eventually(async () => {
      expect(await found()).toEqual({
        a: { mode: 'fast', level: '1', pool: 'a' },
        b: { mode: 'fast', level: '1', pool: 'b' },
      });
      const { status } = await client.get(poolConfigs, key);
      expect(status).toMatchObject({
        configMaps: 2,
        conditions: expect.arrayContaining([
          expect.objectContaining({
            type: 'Ready',
            status: 'True',
            message: '2 of 2 pools have their ConfigMap',
          }),
        ]),
      });
    });
  });

  it('follows the spec, also where a key goes', async () => {
    await apply(client, poolConfigs, settings({ mode: 'slow' }));
    await eventually(async () =>
      expect(await found()).toEqual({ a: { mode: 'slow', pool: 'a' }, b: { mode: 'slow', pool: 'b' } }),
    );
  });

  it('comes back where somebody deletes it', async () => {
    const { items } = await client.list(configMaps, {
      namespace: 'default',
      labelSelector: 'examples.atoll.dev/pool=a',
    });
    const [one] = items;
    await client.delete(configMaps, { namespace: 'default', name: one?.metadata.name ?? '' });
    await eventually(async () => {
      const again = await client.list(configMaps, {
        namespace: 'default',
        labelSelector: 'examples.atoll.dev/pool=a',
      });
      expect(again.items.map(({ metadata }) => metadata.name)).toEqual([one?.metadata.name]);
      expect(again.items[0]?.metadata.uid).not.toBe(one?.metadata.uid);
    });
  });

  it('goes when its pool is not selected any more', async () => {
    await client.patch(
      nodePools,
      { name: 'b' },
      { type: 'merge', body: { metadata: { labels: { settings: null } } } },
    );
    await eventually(async () => expect(Object.keys(await found())).toEqual(['a']));
  });
});
