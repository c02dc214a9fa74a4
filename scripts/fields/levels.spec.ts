import type { StructuralSchema } from '@atoll/api/schema';
import { describe, expect, it } from 'vitest';
import { levels, rulesOf } from './levels.ts';

const text: StructuralSchema = { type: 'string' };
const object = (properties: Readonly<Record<string, StructuralSchema>>): StructuralSchema => ({
  type: 'object',
  properties,
});
const named = object({ name: text });

describe('the objects of a schema', () => {
  it('are each before those in it, also in lists and maps', () => {
    const schema = object({
      first: { type: 'array', items: object({ inner: object({ a: text }) }) },
      second: { type: 'object', additionalProperties: object({ b: text }) },
      third: text,
    });
    expect(levels('spec', schema).map(({ path }) => path)).toEqual([
      'spec',
      'spec.first[]',
      'spec.first[].inner',
      'spec.second.*',
    ]);
  });

  it('are shown once where they are the same', () => {
    const schema = object({ one: named, other: { type: 'array', items: named } });
    expect(levels('status', schema).map(({ path }) => path)).toEqual(['status', 'status.one']);
  });

  it("are without those that are Kubernetes' own", () => {
    const schema = object({
      selector: object({ matchLabels: object({}), matchExpressions: object({}) }),
      template: object({ spec: object({ containers: {} }) }),
    });
    expect(levels('spec', schema).map(({ path }) => path)).toEqual(['spec']);
  });
});

describe('the rules of an object', () => {
  const rule = (message: string, more: object = {}) => ({
    'x-kubernetes-validations': [{ rule: 'true', message, ...more }],
  });

  it('name the field that they are about, each once', () => {
    const schema = {
      ...object({ a: { ...text, ...rule('must be short') }, inner: { ...named, ...rule('is of inner') } }),
      'x-kubernetes-validations': [
        { rule: '1', message: 'must be given', fieldPath: '.a' },
        { rule: '2', message: 'must be given', fieldPath: '.a' },
      ],
    };
    expect(rulesOf({ path: 'spec', schema })).toEqual([
      { path: 'spec.a', message: 'must be given' },
      { path: 'spec.a', message: 'must be short' },
    ]);
  });

  it('are also those of items and values that are no objects', () => {
    const schema = object({
      list: { type: 'array', items: { ...text, ...rule('item') } },
      map: { type: 'object', additionalProperties: { ...text, ...rule('value') } },
    });
    expect(rulesOf({ path: 'spec', schema })).toEqual([
      { path: 'spec.list[]', message: 'item' },
      { path: 'spec.map.*', message: 'value' },
    ]);
  });

  it('say every message among which a rule chooses', () => {
    const messageExpression = "'x ' + (!(a) ? 'one' : !(b ? c : d) ? 'another' : '')";
    const schema = { ...named, ...rule('is wrong', { messageExpression }) };
    expect(rulesOf({ path: 'spec', schema }).map(({ message }) => message)).toEqual(['one', 'another']);
  });

  it('are shown as a whole where the expression chooses only a part of a message', () => {
    const messageExpression = "self.name + ': ' + (a == b ? 'this is' : 'those are') + ' immutable'";
    const schema = { ...named, ...rule('this and those are immutable', { messageExpression }) };
    expect(rulesOf({ path: 'spec', schema }).map(({ message }) => message)).toEqual([
      'this and those are immutable',
    ]);
  });
});
