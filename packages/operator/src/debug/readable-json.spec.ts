import { describe, expect, it } from 'vitest';
import { readableJson } from './readable-json.ts';

const read = (value: unknown): unknown => JSON.parse(readableJson(value));

describe('readable JSON', () => {
  it('hides what may be a secret wherever it stands', () => {
    const container = {
      image: 'web:1',
      env: [
        { name: 'PASSWORD', value: 'hunter2' },
        { name: 'FROM', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
      ],
      command: ['sh', '-c', 'login hunter2'],
      args: ['--password=hunter2'],
    };
    const shown = readableJson({
      steps: [{ object: { spec: { template: { spec: { containers: [container] } } } } }],
      pods: new Map([['a', { spec: { initContainers: [container] } }]]),
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': 'hunter2',
        patch: '{"spec":{"containers":[{"env":[{"value":"hunter2"}]}]}}',
        list: ' [{"value":"hunter2"}]',
      },
    });
    expect(shown).not.toContain('hunter2');
    expect(shown).toContain('web:1');
    expect(shown).toContain('secretKeyRef');
    expect(shown).toContain('"PASSWORD"');
  });

  it('shows maps, sets, errors and numbers that JSON does not have, and leaves out what is not data', () => {
    class Reader {
      readonly secret = 'hunter2';
    }
    const value = {
      map: new Map<unknown, unknown>([
        ['a', 1],
        [{ namespace: 'ns' }, 2],
      ]),
      set: new Set(['x']),
      big: 10n,
      error: new Error('no'),
      reader: new Reader(),
      read: () => 'x',
      nothing: null,
    };
    expect(read(value)).toEqual({
      map: { a: 1, '{"namespace":"ns"}': 2 },
      set: ['x'],
      big: '10',
      error: 'no',
      nothing: null,
    });
  });

  it('ends, whatever refers to what', () => {
    const one: Record<string, unknown> = { name: 'one' };
    one['self'] = one;
    expect(read(one)).toEqual({ name: 'one', self: '<see above>' });
    const many = Array.from({ length: 300_000 }, (_, index) => ({ index }));
    expect(readableJson(many).match(/<too much to show>/g)?.length).toBeGreaterThan(90_000);
  });

  it('shows the beginning of what is deeper than calls fit on the stack', () => {
    const levels = 100_000;
    const deep = JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as object;
    expect(readableJson({ deep }).match(/"a": "<too deep to show>"/g)).toHaveLength(1);
  });

  it('shows what is there twice in both places', () => {
    const shared = { a: 1 };
    expect(read({ x: shared, y: shared })).toEqual({ x: { a: 1 }, y: { a: 1 } });
  });
});
