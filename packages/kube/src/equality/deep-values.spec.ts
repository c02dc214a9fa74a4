import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze, StringPool } from '../decoder/freeze.ts';
import { ListDecoder } from '../decoder/list-decoder.ts';
import { project, projectionOfPaths, wholeObject } from '../decoder/projection.ts';
import { WatchDecoder } from '../decoder/watch-decoder.ts';
import type { WatchEvent } from '../decoder/watch-event.ts';
import { containsWanted, normalised, semanticallyEqual } from './equality.ts';
import { goJson } from '../values/go-json.ts';
import { jsonText } from '../values/json-text.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import { canonicalJson, stableHash } from '../values/stable-hash.ts';
import { idleDirectives } from '../strategic-merge/idle-directives.ts';
import { strategicMerge } from '../strategic-merge/strategic-merge.ts';

/*
 * An API server takes objects of 9,990 levels, which a user needs 60 kB for. JSON.stringify, structuredClone and the
 * runner's own comparisons overflow on them, so what is compared here is text.
 */

const mostLevels = 10_000;
const pattern = fc.array(fc.constantFrom('object', 'list'), { minLength: 1, maxLength: 5 });
const levels = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: mostLevels }));

/** The property, for values of every depth, the greatest included. */
function forEveryDepth(holds: (value: object, other: object) => void): void {
  fc.assert(
    fc.property(levels, pattern, (depth, kinds) =>
      holds(nested(depth, kinds, 'same'), nested(depth, kinds, 'other')),
    ),
    {
      numRuns: 20,
      examples: [
        [mostLevels, ['object']],
        [mostLevels, ['list']],
        [mostLevels, ['object', 'list']],
      ],
    },
  );
}

function copyOf<V extends object>(value: V): V {
  return JSON.parse(jsonText(value)) as V;
}

const things: Resource<KubeObject> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
};

function thing(data: object): Stored<KubeObject> & { readonly data: object; readonly spec: object } {
  const metadata = {
    namespace: 'n',
    name: 'a',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '2026-11-01T10:00:00Z',
  };
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata, data, spec: { template: data } };
}

function isFrozenThroughout(root: unknown): boolean {
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (!Object.isFrozen(value)) return false;
    open.push(...(Object.values(value) as unknown[]));
  }
  return true;
}

describe('of a value of up to 10,000 levels', () => {
  test('the canonical text is its JSON, and its hash differs from that of others', () => {
    forEveryDepth((value, other) => {
      expect(canonicalJson(JSON.parse(canonicalJson(value))) === canonicalJson(value)).toBe(true);
      expect(jsonText(copyOf(value)) === jsonText(value)).toBe(true);
      expect(goJson(value) === canonicalJson(value)).toBe(true);
      expect(stableHash(copyOf(value))).toBe(stableHash(value));
      expect(stableHash(other)).not.toBe(stableHash(value));
    });
  });

  test('the meaning is compared to the last level', () => {
    forEveryDepth((value, other) => {
      expect(canonicalJson(normalised(value)) === canonicalJson(value)).toBe(true);
      expect(semanticallyEqual(value, copyOf(value))).toBe(true);
      expect(semanticallyEqual(value, other)).toBe(false);
      expect(containsWanted(value, copyOf(value))).toBe(true);
      expect(containsWanted(value, other)).toBe(false);
    });
  });

  test('all is frozen, also where an earlier version is known', () => {
    forEveryDepth((value, other) => {
      const known = deepFreeze(copyOf(value));
      const next = deepFreeze(copyOf(other), new StringPool(), known);
      expect([known, next].every(isFrozenThroughout)).toBe(true);
      expect(canonicalJson(next) === canonicalJson(other)).toBe(true);
    });
  });

  test('a strategic merge is the patch where nothing was, and nothing new where it is the same', () => {
    forEveryDepth((value, other) => {
      const fields = { field: value };
      expect(canonicalJson(strategicMerge({}, fields, {})) === canonicalJson(fields)).toBe(true);
      expect(canonicalJson(strategicMerge(fields, copyOf(fields), {})) === canonicalJson(fields)).toBe(true);
      const merged = strategicMerge(fields, { field: other }, {});
      expect(canonicalJson(merged) === canonicalJson({ field: other })).toBe(true);
      expect(idleDirectives(fields, { field: other }, {})).toEqual([]);
    });
  });

  test('a directive at its last level is found and followed', () => {
    fc.assert(
      fc.property(levels, (depth) => {
        const doomed = nested(depth, ['object'], { gone: { b: 1 }, kept: 1 });
        const patch = nested(depth, ['object'], { gone: { $patch: 'delete' } });
        const left = nested(depth, ['object'], { kept: 1, gone: {} });
        expect(canonicalJson(strategicMerge(doomed, patch, {})) === canonicalJson(left)).toBe(true);
        expect(idleDirectives(doomed, patch, {})).toEqual([]);
        expect(
          idleDirectives(left, nested(depth, ['object'], { not: { $patch: 'delete' } }), {}),
        ).toHaveLength(1);
      }),
      { numRuns: 20, examples: [[mostLevels]] },
    );
  });

  test('a watch and a list yield the object whole, or cut to the fields of a projection', () => {
    forEveryDepth((value) => {
      const object = thing(value);
      for (const projection of [
        wholeObject<KubeObject>(),
        projectionOfPaths<KubeObject>(['data.b', 'spec']),
      ]) {
        const read: Stored<KubeObject>[] = [];
        const take = (event: WatchEvent<KubeObject>): void => {
          if (event.type === 'ADDED') read.push(event.object);
        };
        new WatchDecoder(things, projection).push(
          Buffer.from(`{"type":"ADDED","object":${jsonText(object)}}\n`),
          take,
        );
        // Written in another way than the API server writes it.
        new WatchDecoder(things, projection).push(
          Buffer.from(`{"object":${jsonText(object)},"type":"ADDED"}\n`),
          take,
        );
        const list = new ListDecoder(things, projection);
        list.push(Buffer.from(`{"metadata":{"resourceVersion":"7"},"items":[${jsonText(object)}]}`), (item) =>
          read.push(item),
        );
        list.finish();
        const wanted = canonicalJson(project(projection, object));
        expect(read.map((each) => canonicalJson(each) === wanted && isFrozenThroughout(each))).toEqual([
          true,
          true,
          true,
        ]);
      }
    });
  });
});

/** `levels` objects and lists in each other, in the order of the pattern, around the innermost value. */
function nested(levels: number, pattern: readonly ('object' | 'list')[], innermost: unknown): object {
  let value: unknown = innermost;
  for (let level = levels; level > 0; level -= 1) {
    const kind = pattern[level % pattern.length] ?? 'object';
    value = kind === 'list' ? [value] : { a: value, n: 'x' };
  }
  return value as object;
}
