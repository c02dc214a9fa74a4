import { expect, it } from 'vitest';
import { deployments, silentLogger, type KubeObject, type RawRequest, type Resource } from '@atoll/kube';
import { flushTasks } from '@atoll/kube/testing';
import { rightsInNewNamespaces } from './rights-in-new-namespaces.ts';

const resource: Resource<KubeObject> = deployments;
const rights = ['edge', 'lab'].flatMap((namespace) =>
  ['create', 'delete'].map((verb) => ({ resource, verb, namespace, ifThere: true })),
);

/** A namespace whose objects become readable when the test says so. */
function namespaceNamed(name: string) {
  const settled = Promise.withResolvers<void>();
  const listeners: { shown(): void }[] = [];
  return {
    name,
    settled: settled.promise,
    settle: () => settled.resolve(),
    subscribe: (listener: { shown(): void }) => {
      listeners.push(listener);
      return () => undefined;
    },
    show: () => listeners.forEach((each) => each.shown()),
  };
}

it('are asked for when a namespace comes after the start, and named where they are missing', async () => {
  const asked: string[] = [];
  const client = {
    async raw({ path, body = '' }: RawRequest) {
      if (path.endsWith('/selfsubjectrulesreviews'))
        return { code: 200, headers: {}, body: Buffer.from('{"status":{"incomplete":true}}') };
      const { namespace, verb } = (
        JSON.parse(body) as { spec: { resourceAttributes: Record<string, string> } }
      ).spec.resourceAttributes;
      asked.push(`${verb} in ${namespace}`);
      const status = verb === 'create' ? { allowed: true } : { allowed: false, reason: 'no role' };
      return { code: 200, headers: {}, body: Buffer.from(JSON.stringify({ status })) };
    },
  };
  const warned: unknown[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void warned.push(fields) };
  const [edge, lab] = [namespaceNamed('edge'), namespaceNamed('lab')];
  const stop = new AbortController();
  const part = rightsInNewNamespaces({ client, namespaces: [edge, lab], rights, logger });
  const ended = part.run(stop.signal);
  edge.show();
  edge.settle();
  lab.settle();
  await flushTasks();
  expect(asked).toEqual([]);
  lab.show();
  await flushTasks();
  expect(asked).toEqual(['create in lab', 'delete in lab']);
  expect(warned).toEqual([
    { namespace: 'lab', missing: 'delete deployments.apps in lab', because: 'no role' },
  ]);
  stop.abort();
  await ended;
});
