import { expect, test } from 'vitest';
import { gaugesText } from './gauges-text.ts';

test('gauges are written in the text format of Prometheus, whatever their labels are', () => {
  const text = gaugesText([
    {
      name: 'pods',
      help: 'How many pods \\ there are.\nOf a node.',
      samples: [
        { labels: {}, value: 3 },
        { labels: { node: 'n1', why: 'said "no"\nat C:\\tmp' }, value: 0.5 },
      ],
    },
    { name: 'nodes', help: 'None.', samples: [] },
  ]);
  expect(text).toBe(
    [
      '# HELP pods How many pods \\\\ there are.\\nOf a node.',
      '# TYPE pods gauge',
      'pods 3',
      'pods{node="n1",why="said \\"no\\"\\nat C:\\\\tmp"} 0.5',
      '# HELP nodes None.',
      '# TYPE nodes gauge',
      '',
    ].join('\n'),
  );
});

test('without gauges there is no text', () => {
  expect(gaugesText([])).toBe('');
});
