import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { age } from './age.ts';
import { printed } from './formats.ts';
import { table } from './table.ts';

const now = Date.parse('2026-01-02T00:00:00Z');

describe('output', () => {
  it.each([
    ['2026-01-01T23:59:59Z', '1 second'],
    ['2026-01-01T23:44:00Z', '16 minutes'],
    ['2026-01-01T01:30:00Z', '22 hours'],
    ['2025-12-30T00:00:00Z', '3 days'],
    ['2025-12-10T00:00:00Z', '3 weeks'],
    ['2024-01-01T00:00:00Z', '2 years'],
    ['2026-01-03T00:00:00Z', '0 seconds'],
    [undefined, '<unknown>'],
  ])('the age of %s is %s', (timestamp, expected) => {
    expect(age(timestamp, now)).toBe(expected);
  });

  it('a table has its headings in capitals, and no blanks at the ends of lines', () => {
    expect(
      table(
        ['Name', 'Canary RS'],
        [
          ['a', '-'],
          ['longer', ''],
        ],
      ),
    ).toBe('NAME     CANARY RS\na        -\nlonger');
  });

  it('YAML is for kubectl, to which words of YAML 1.1 without quotes are no text', async () => {
    const values = ['yes', 'on', 'n', '0b11', '1_000', '1:30', '012', '~', '.5'];
    const object = { metadata: { name: 'a' }, env: values.map((value) => ({ value })) };
    const printedOut = await printed([object as never], 'yaml', { isOne: true, managedFields: false });
    expect(parse(printedOut, { version: '1.1' })).toEqual(object);
  });

  it.each(['json', 'yaml'] as const)(
    'metadata stands in %s where it stood, with and without managedFields',
    async (format) => {
      const metadata = { name: 'a', managedFields: [{ manager: 'atoll' }], uid: 'uid' };
      const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: 'b' } };
      const fields = async (managedFields: boolean) => {
        const read = parse(
          await printed([object as never], format, { isOne: true, managedFields }),
        ) as typeof object;
        return [Object.keys(read), Object.keys(read.metadata)];
      };
      const all = ['apiVersion', 'kind', 'metadata', 'spec'];
      expect(await fields(false)).toEqual([all, ['name', 'uid']]);
      expect(await fields(true)).toEqual([all, ['name', 'managedFields', 'uid']]);
    },
  );
});
