import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ApiStatus } from '../client/api-error.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import { Compactor } from './compactor.ts';
import { DecodeError } from './decode-error.ts';
import { pick } from './field-tree.ts';
import { ListDecoder } from './list-decoder.ts';
import {
  mediaTypeFor,
  mergeProjections,
  project,
  projection,
  projectionOfPaths,
  wholeObject,
} from './projection.ts';
import { WatchDecoder } from './watch-decoder.ts';
import type { WatchEvent } from './watch-event.ts';

interface Pod extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly name: string; readonly image?: string }[];
  };
  readonly status?: { readonly phase?: string };
}

const pods: Resource<Pod> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

const pod = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name: 'web',
    namespace: 'edge',
    uid: 'u1',
    resourceVersion: '7',
    creationTimestamp: '2026-11-01T10:00:00Z',
    annotations: { note: 'a "quoted" \\ brace } and ü' },
    managedFields: [{ manager: 'kubectl', fieldsV1: { 'f:spec': { '.': {} } } }],
  },
  spec: {
    nodeName: 'node-1',
    containers: [
      { name: 'web', image: 'web:1' },
      { name: 'side', image: 'side:2' },
    ],
  },
  status: { phase: 'Running' },
};

describe('a projection', () => {
  test('keeps identity and the declared fields, through lists, and nothing else', () => {
    const declared = projection<Pod>()('spec.containers.name', 'status');
    expect(decodeOne(declared.tree, pod)).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: {
        name: 'web',
        namespace: 'edge',
        uid: 'u1',
        resourceVersion: '7',
        creationTimestamp: '2026-11-01T10:00:00Z',
      },
      spec: { containers: [{ name: 'web' }, { name: 'side' }] },
      status: { phase: 'Running' },
    });
  });

  test('never keeps managedFields, not even where all metadata or everything is declared', () => {
    const { managedFields: _, ...metadata } = pod.metadata;
    expect(decodeOne(projection<Pod>()('metadata').tree, pod)).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata,
    });
    expect(decodeOne(wholeObject<Pod>().tree, pod)).toEqual({ ...pod, metadata });
  });

  test('keeps of managedFields what is declared inside them', () => {
    const managers = projection<Pod>()(
      'metadata.managedFields.manager',
      'metadata.managedFields.fieldsV1.f:spec',
    );
    expect(decodeOne(managers.tree, pod)).toMatchObject({
      metadata: { managedFields: [{ manager: 'kubectl', fieldsV1: { 'f:spec': { '.': {} } } }] },
    });
    const all = projection<Pod>()('metadata.managedFields');
    expect(decodeOne(all.tree, pod)).not.toHaveProperty('metadata.managedFields');
  });

  test('merged with another keeps what either keeps, and everything where one keeps everything', () => {
    const name = projection<Pod>()('spec.nodeName');
    const phase = projection<Pod>()('status.phase', 'spec');
    expect(mergeProjections([name, phase]).paths).toEqual(['spec', 'spec.nodeName', 'status.phase']);
    expect(mergeProjections([name, wholeObject<Pod>()]).paths).toBeUndefined();
    expect(decodeOne(mergeProjections([name, phase]).tree, pod)).toMatchObject({
      spec: pod.spec,
      status: pod.status,
    });
  });

  test('accepts only paths that the type has', () => {
    const declare = projection<Pod>();
    expectTypeOf(declare).toBeCallableWith('metadata.labels', 'spec.containers.image');
    // @ts-expect-error a pod has no such field
    expect(declare('spec.replicas').paths).toEqual(['spec.replicas']);
  });
});

// Keys that occur in the paths are made likely, so that the tree is walked and not only passed by.
const key = fc.oneof(
  fc.constantFrom('metadata', 'managedFields', 'spec', 'status', 'name', 'a', 'b', 'é', '__proto__'),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('"', '\\', '}', ']', '{"', '\n', '\u2028', '\ud83d\ude80'),
);
const { anyJson } = fc.letrec<{ anyJson: unknown }>((tie) => ({
  anyJson: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
    fc.array(tie('anyJson'), { maxLength: 4 }),
    fc
      .array(fc.tuple(key, tie('anyJson')), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries) as unknown),
  ),
}));
const anyPaths = fc.array(
  fc
    .array(
      key.filter((k) => k !== '' && !k.includes('.')),
      { minLength: 1, maxLength: 4 },
    )
    .map((p) => p.join('.')),
  {
    maxLength: 5,
  },
);
const anyObject = fc.tuple(anyJson, anyJson, anyJson).map(([metadata, spec, status]) => ({
  spec,
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { more: metadata, name: 'n', uid: 'u', resourceVersion: '1', managedFields: status },
  status,
}));
const indentation = fc.constantFrom(undefined, 1, '\t');
const cuts = fc.array(fc.nat(), { maxLength: 12 });

describe('decoding with a projection', () => {
  test('equals projecting the parsed document, for any JSON', () => {
    fc.assert(
      fc.property(anyJson, anyPaths, indentation, (value, paths, indent) => {
        const { tree } = projectionOfPaths(paths);
        const source = JSON.stringify(value, null, indent);
        expect(compacted(source, tree)).toEqual(pick(JSON.parse(source), tree));
      }),
      { numRuns: 500 },
    );
  });

  test('equals projecting the parsed line, for any chunks of a watch', () => {
    fc.assert(
      fc.property(
        fc.array(anyObject, { minLength: 1, maxLength: 5 }),
        anyPaths,
        cuts,
        (objects, paths, at) => {
          const declared = projectionOfPaths<Pod>(paths);
          const stream = objects
            .map((object) => `${JSON.stringify({ type: 'MODIFIED', object })}\n`)
            .join('');
          const expected = objects.map((object) =>
            project(declared, JSON.parse(JSON.stringify(object)) as Stored<Pod>),
          );
          expect(objectsOf(watch(declared, chunksOf(stream, at)))).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('equals projecting the parsed items, for any chunks of a list', () => {
    fc.assert(
      fc.property(
        fc.array(anyObject, { maxLength: 5 }),
        anyPaths,
        indentation,
        cuts,
        (objects, paths, indent, at) => {
          const declared = projectionOfPaths<Pod>(paths);
          const body = JSON.stringify(
            {
              kind: 'PodList',
              note: ['[', { items: [1] }],
              metadata: { resourceVersion: '9' },
              items: objects,
            },
            null,
            indent,
          );
          const expected = objects.map((object) =>
            project(declared, JSON.parse(JSON.stringify(object)) as Stored<Pod>),
          );
          expect(list(declared, chunksOf(body, at))).toEqual({
            items: expected,
            end: { resourceVersion: '9', continue: undefined },
          });
        },
      ),
      { numRuns: 300 },
    );
  });

  test('cuts anywhere in a stream yield the same events', () => {
    const stream = Buffer.from(
      `${JSON.stringify({ type: 'ADDED', object: pod })}\n${JSON.stringify({ type: 'DELETED', object: pod })}\n`,
    );
    const whole = watch(wholeObject<Pod>(), [stream]);
    expect(whole.map((event) => event.type)).toEqual(['ADDED', 'DELETED']);
    for (let at = 0; at <= stream.length; at++) {
      expect(watch(wholeObject<Pod>(), [stream.subarray(0, at), stream.subarray(at)])).toEqual(whole);
    }
  });

  test('finds keys that are written with escapes', () => {
    const tree = projectionOfPaths(['spec']).tree;
    expect(compacted('{"sp\\u0065c":{"a":1},"stat\\u0075s":2}', tree)).toEqual({ spec: { a: 1 } });
    expect(compacted('{"metadata":{"managed\\u0046ields":[1],"n":1}}', wholeObject().tree)).toEqual({
      metadata: { n: 1 },
    });
  });

  test('takes the last of two equal keys, as JSON.parse does', () => {
    const tree = projectionOfPaths(['spec.a']).tree;
    for (const source of ['{"spec":{"a":1},"spec":{"a":2,"b":3}}', '{"spec":{"a":1},"spec":null}']) {
      expect(compacted(source, tree)).toEqual(pick(JSON.parse(source), tree));
    }
  });

  test.each([
    '{',
    '{"a"',
    '{"a":',
    '{"a":"',
    '{"a":1',
    '[1,',
    '{"a":1}}',
    '{a:1}',
    '',
    '{"b":[{"c":"\\"}]}',
    '{"a":1 "b":2}',
  ])('refuses %j', (source) => {
    expect(() => compacted(source, projectionOfPaths(['a']).tree)).toThrow(DecodeError);
  });
});

describe('a decoded object', () => {
  test('is frozen at every level, and equal long strings are one string', () => {
    const [object] = objectsOf(
      watch(wholeObject<Pod>(), [`${JSON.stringify({ type: 'ADDED', object: pod })}\n`]),
    );
    const unfrozen: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Object.isFrozen(value)) unfrozen.push(path);
      for (const [name, below] of Object.entries(value)) visit(below, `${path}.${name}`);
    };
    visit(object, 'pod');
    expect(object).toBeDefined();
    expect(unfrozen).toEqual([]);
  });
});

describe('a watch stream', () => {
  test('carries bookmarks, the end of the initial events, and errors whole', () => {
    const status: ApiStatus = {
      kind: 'Status',
      code: 410,
      reason: 'Expired',
      message: 'too old resource version',
      status: 'Failure',
    };
    const events = watch(projectionOfPaths<Pod>([]), [
      '{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"12"}}}\n',
      '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"13","annotations":{"k8s.io/initial-events-end":"true"}}}}\n',
      `${JSON.stringify({ type: 'ERROR', object: status })}\r\n\n`,
    ]);
    expect(events).toEqual([
      { type: 'BOOKMARK', resourceVersion: '12', initialEventsEnd: false },
      { type: 'BOOKMARK', resourceVersion: '13', initialEventsEnd: true },
      { type: 'ERROR', status },
    ]);
  });

  test('may have lines without content between its events, wherever the chunks are cut', () => {
    const bookmark = '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"12"}}}';
    const text = `\r\n\n${bookmark}\r\n\r\n \t\n${bookmark}\n\r\n`;
    for (let cut = 0; cut <= text.length; cut += 1) {
      const events = watch(wholeObject<Pod>(), [text.slice(0, cut), text.slice(cut)]);
      expect(events.map(({ type }) => type)).toEqual(['BOOKMARK', 'BOOKMARK']);
    }
    expect(watch(wholeObject<Pod>(), text.split(''))).toHaveLength(2);
  });

  test('is understood in whatever order and spacing its fields come', () => {
    const line = JSON.stringify({ object: pod, type: 'ADDED' }, null, ' ').replaceAll('\n', '');
    expect(objectsOf(watch(projection<Pod>()('status'), [`${line}\n`]))).toEqual([
      project(projection<Pod>()('status'), pod),
    ]);
    expect(
      watch(wholeObject<Pod>(), [`{"type":"ADDED","object":${JSON.stringify(pod)} } \r\n`]),
    ).toHaveLength(1);
  });

  test('of metadata alone brings objects of the kind that was asked for', () => {
    const declared = projection<Pod>()('metadata.labels');
    const { metadata } = pod;
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
    const sent = [`${JSON.stringify({ type: 'ADDED', object: partial })}\n`];
    expect(objectsOf(watch(declared, sent))).toEqual([project(declared, pod)]);
    const otherwise = [`${JSON.stringify({ object: partial, type: 'ADDED' })}\n`];
    expect(objectsOf(watch(declared, otherwise))).toEqual([project(declared, pod)]);
    const page = JSON.stringify({ metadata: { resourceVersion: '9' }, items: [partial] });
    expect(list(declared, [page]).items).toEqual([project(declared, pod)]);
  });

  test('cut in mid-event keeps the events before and returns how much is pending', () => {
    const line = `${JSON.stringify({ type: 'ADDED', object: pod })}\n`;
    const decoder = new WatchDecoder<Pod>(pods, wholeObject());
    const events: WatchEvent<Pod>[] = [];
    decoder.push(Buffer.from(line + line.slice(0, 30)), (event) => events.push(event));
    expect(events).toHaveLength(1);
    expect(decoder.pending).toBe(30);
  });

  test('carries an event of many megabytes', () => {
    const large = { ...pod, spec: { nodeName: 'x'.repeat(5_000_000) } };
    const bytes = Buffer.from(`${JSON.stringify({ type: 'ADDED', object: large })}\n`);
    const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, i) =>
      bytes.subarray(i * 65_536, (i + 1) * 65_536),
    );
    expect(objectsOf(watch(wholeObject<Pod>(), chunks))[0]?.spec?.nodeName).toHaveLength(5_000_000);
    expect(objectsOf(watch(projection<Pod>()('status'), chunks))[0]?.spec).toBeUndefined();
  });

  test.each(['nonsense', '{"type":"ADDED"}', '{"type":"MOVED","object":{}}', '[]'])(
    'with the line %j is refused',
    (line) => {
      expect(() => watch(wholeObject<Pod>(), [`${line}\n`])).toThrow(DecodeError);
    },
  );
});

describe('an object that cannot be read', () => {
  const good = JSON.stringify(pod);
  const metadata = { namespace: 'n', name: 'b', uid: 'u', resourceVersion: '7' };
  const bad = `{"metadata":${JSON.stringify(metadata)},"spec":{"nodeName":nope}}`;

  test('is one event of a watch, with what can be read of it, and the events around it are read', () => {
    const lines = [good, bad, good].map((object) => `{"type":"MODIFIED","object":${object}}\n`);
    const events = watch(wholeObject<Pod>(), lines);
    expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'UNREADABLE', 'MODIFIED']);
    expect(events[1]).toMatchObject({
      change: 'MODIFIED',
      metadata,
      error: expect.any(DecodeError) as unknown,
    });
  });

  test.each(['{"metadata":{}}', '{"metadata":{"name":"a"', '7'])(
    'is an event without metadata where it is %j',
    (object) => {
      const [event] = watch(wholeObject<Pod>(), [`{"type":"ADDED","object":${object}}\n`]);
      expect(event).toMatchObject({ type: 'UNREADABLE', metadata: undefined });
    },
  );

  test('is one item of a list, wherever the chunks are cut', () => {
    const body = Buffer.from(`{"metadata":{"resourceVersion":"9"},"items":[${good},${bad},${good}]}`);
    for (const size of [1, 7, body.length]) {
      const decoder = new ListDecoder<Pod>(pods, wholeObject());
      const names: string[] = [];
      for (let at = 0; at < body.length; at += size) {
        decoder.push(
          body.subarray(at, at + size),
          (object) => names.push(object.metadata.name),
          (object) => names.push(`unreadable ${object.metadata?.name}`),
        );
      }
      expect(names).toEqual([pod.metadata.name, 'unreadable b', pod.metadata.name]);
      expect(decoder.finish().resourceVersion).toBe('9');
    }
  });
});

describe('a list', () => {
  const body = JSON.stringify({
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '9', continue: 'next' },
    items: [{ ...pod, kind: undefined, apiVersion: undefined }],
  });

  test('gives items their kind and returns where the list goes on', () => {
    const { items, end } = list(projection<Pod>()('status'), [body]);
    expect(items).toEqual([project(projection<Pod>()('status'), pod)]);
    expect(end).toEqual({ resourceVersion: '9', continue: 'next' });
  });

  test('without items, or with null for items, is empty', () => {
    expect(list(wholeObject<Pod>(), ['{"metadata":{"resourceVersion":"1"},"items":[]}']).items).toEqual([]);
    expect(list(wholeObject<Pod>(), ['{"metadata":{"resourceVersion":"1"},"items":null}']).items).toEqual([]);
  });

  test('that is cut anywhere is refused', () => {
    for (let at = 0; at < body.length; at++) {
      expect(() => list(wholeObject<Pod>(), [body.slice(0, at)]), `cut at ${at}`).toThrow(DecodeError);
    }
  });

  test.each(['"\\u0069tems":', `"items":${' '.repeat(100)}`])(
    'whose items are not found where they stand is refused, and not empty: %s',
    (before) => {
      const odd = `{"metadata":{"resourceVersion":"1"},${before}[${JSON.stringify(pod)}]}`;
      expect(() => list(wholeObject<Pod>(), [odd])).toThrow(DecodeError);
    },
  );

  test.each([
    '{"metadata":{},"items":[]}',
    '{"items":[]}',
    '{"metadata":{"resourceVersion":"1"},"items":[1]}',
    '{"metadata":{"resourceVersion":"1"},"items":{}}',
    // One object, or the answer of a gateway: as a list it would be empty, and all that is cached gone.
    '{"kind":"Pod","metadata":{"name":"a","resourceVersion":"1"},"spec":{}}',
    '{"kind":"Status","metadata":{"resourceVersion":"1"},"code":200}',
    '[]',
  ])('refuses %j', (text) => {
    expect(() => list(wholeObject<Pod>(), [text])).toThrow(DecodeError);
  });
});

function compacted(source: string, tree: Parameters<Compactor['compact']>[3]): unknown {
  const bytes = Buffer.from(source);
  return JSON.parse(new Compactor().compact(bytes, 0, bytes.length, tree));
}

function decodeOne(tree: Parameters<Compactor['compact']>[3], value: unknown): unknown {
  return compacted(JSON.stringify(value), tree);
}

function chunksOf(source: string, cutsAt: readonly number[]): Uint8Array[] {
  const bytes = new Uint8Array(Buffer.from(source));
  const at = [0, ...cutsAt.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
}

function watch(
  declared: ReturnType<typeof wholeObject<Pod>>,
  chunks: readonly (string | Uint8Array)[],
): WatchEvent<Pod>[] {
  const decoder = new WatchDecoder(pods, declared);
  const events: WatchEvent<Pod>[] = [];
  for (const chunk of chunks)
    decoder.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, (event) => events.push(event));
  return events;
}

function objectsOf(events: readonly WatchEvent<Pod>[]): Stored<Pod>[] {
  return events.flatMap((event) => ('object' in event ? [event.object] : []));
}

function list(declared: ReturnType<typeof wholeObject<Pod>>, chunks: readonly (string | Uint8Array)[]) {
  const decoder = new ListDecoder(pods, declared);
  const items: Stored<Pod>[] = [];
  for (const chunk of chunks)
    decoder.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, (item) => items.push(item));
  return { items, end: decoder.finish() };
}

describe('what is asked for', () => {
  const whole = 'application/json';

  test.each(['watch', 'list'] as const)('is metadata alone where nothing else is kept, in a %s', (what) => {
    const kind = { watch: 'PartialObjectMetadata', list: 'PartialObjectMetadataList' }[what];
    const ofMetadata = `${whole};as=${kind};g=meta.k8s.io;v=v1,${whole}`;
    const parts = projection<Pod>()('metadata.labels', 'metadata.ownerReferences');
    expect(mediaTypeFor(parts, what)).toBe(ofMetadata);
    expect(mediaTypeFor(projection<Pod>()('metadata'), what)).toBe(ofMetadata);
  });

  test('is the whole object otherwise', () => {
    expect(mediaTypeFor(projection<Pod>()('metadata.labels', 'spec.nodeName'), 'watch')).toBe(whole);
    expect(mediaTypeFor(wholeObject(), 'list')).toBe(whole);
  });
});

describe('an object that is known', () => {
  const declared = projectionOfPaths<Pod>(['spec', 'status']);
  const event = (object: object): Buffer =>
    Buffer.from(`{"type":"MODIFIED","object":${JSON.stringify(object)}}\n`);

  function decodeAll(objects: readonly object[]): readonly Stored<Pod>[] {
    const decoded: Stored<Pod>[] = [];
    const decoder = new WatchDecoder<Pod>(pods, declared, () => decoded.at(-1));
    for (const object of objects) {
      decoder.push(event(object), (found) => {
        if (found.type === 'MODIFIED') decoded.push(found.object);
      });
    }
    return decoded;
  }

  test('lends its parts to the versions that follow, however often its spec changes', () => {
    const spec = fc.constantFrom<object | null>(
      { nodeName: 'node-1' },
      { nodeName: 'node-2' },
      { containers: [] },
      {},
      null,
    );
    const version = fc.record({ spec, status: fc.constantFrom({ phase: 'Running' }, { phase: 'Failed' }) });
    fc.assert(
      fc.property(fc.array(version, { minLength: 1, maxLength: 8 }), (versions) => {
        const objects = versions.map((each, index) => ({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'web', uid: 'u', resourceVersion: String(index) },
          ...each,
        }));
        const decoded = decodeAll(objects);
        expect(decoded).toEqual(objects);
        decoded.slice(1).forEach((object, index) => {
          const before = decoded[index];
          const same = JSON.stringify(object.spec) === JSON.stringify(before?.spec);
          expect(object.spec === before?.spec).toBe(same);
          expect(Object.isFrozen(object)).toBe(true);
        });
      }),
    );
  });

  test('does not hide a spec that is broken', () => {
    const line =
      '{"type":"ADDED","object":{"metadata":{"name":"a","uid":"u","resourceVersion":"1"},"spec":{"nodeName":nope}}}\n';
    expect(watch(declared, [line])).toMatchObject([{ type: 'UNREADABLE', metadata: { name: 'a' } }]);
  });
});

describe('the event of an own write', () => {
  const held = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', uid: 'u-1', resourceVersion: '7' },
    spec: { nodeName: 'node-1' },
  } as Stored<Pod>;
  const decoder = new WatchDecoder<Pod>(pods, wholeObject(), undefined, new Map([['7', held]]));
  const objectOf = (line: string): unknown => {
    const found: unknown[] = [];
    decoder.push(Buffer.from(`${line}\n`), (event) => found.push('object' in event ? event.object : event));
    return found[0];
  };

  test.each(['ADDED', 'MODIFIED'])('%s brings what is held, and is not parsed', (type) => {
    const metadata = '{"name":"web","uid":"u-1","resourceVersion":"7","labels":{"a":"b"}}';
    expect(objectOf(`{"type":"${type}","object":{"metadata":${metadata},"spec":{"nodeName":nope}}}`)).toBe(
      held,
    );
  });

  test.each([
    ['another version', { name: 'web', uid: 'u-1', resourceVersion: '8' }],
    ['a version that only begins so', { name: 'web', uid: 'u-1', resourceVersion: '77' }],
    ['another object', { name: 'web', uid: 'u-2', resourceVersion: '7' }],
    [
      'an annotation of that name',
      { annotations: { resourceVersion: '7' }, name: 'db', resourceVersion: '9', uid: 'u-9' },
    ],
  ])('is not parsed as what is held where it is of %s', (_title, metadata) => {
    const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: 'node-2' } };
    expect(objectOf(`{"type":"MODIFIED","object":${JSON.stringify(object)}}`)).toEqual(object);
  });

  test('is not a deletion', () => {
    const object = { ...held, spec: { nodeName: 'node-3' } };
    expect(objectOf(`{"type":"DELETED","object":${JSON.stringify(object)}}`)).toEqual(object);
  });
});
