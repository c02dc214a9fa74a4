import fc from 'fast-check';
import { expect, it } from 'vitest';
import { goJson } from './go-json.ts';

it('writes keys in the order of their text, numbers among them, and escapes what Go escapes', () => {
  const value = { b: 'x && y', a: ['<1>', '\u2028'], 10: 1, 9: { d: null, c: 0.5 } };
  expect(goJson(value)).toBe(
    String.raw`{"10":1,"9":{"c":0.5,"d":null},"a":["\u003c1\u003e","\u2028"],"b":"x \u0026\u0026 y"}`,
  );
});

it('means the same as any JSON of the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(goJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
