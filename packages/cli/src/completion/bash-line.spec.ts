import { expect, it } from 'vitest';
import { readBashLine } from './bash-line.ts';

/** What bash has by default. */
const breaks = ' \t\n"\'><=;|&(:';

it.each<[string, readonly string[], string]>([
  ['kubectl-eds get', ['kubectl-eds', 'get'], ''],
  ['kubectl-eds  get\t', ['kubectl-eds', 'get', ''], ''],
  ['k --output=js', ['k', '--output=js'], '--output='],
  ['k --output =j', ['k', '--output', '=j'], '='],
  ['k --as system:node:a ', ['k', '--as', 'system:node:a', ''], ''],
  ['k --as system:node:a', ['k', '--as', 'system:node:a'], 'system:node:'],
  [`k --context 'my "own"' "a b"c\\ d x`, ['k', '--context', 'my "own"', 'a bc d', 'x'], ''],
  ["k '' ", ['k', '', ''], ''],
  ['k "--output=j', ['k', '--output=j'], ''],
  ['k --output="j', ['k', '--output=j'], '--output='],
  ["k 'a b", ['k', 'a b'], ''],
  ['k "a\\"b\\c', ['k', 'a"b\\c'], ''],
  ['k --output\\=j', ['k', '--output=j'], ''],
  ['k a\\', ['k', 'a'], ''],
  ['k $(echo `id`) ${HOME}', ['k', '$(echo', '`id`)', '${HOME}'], ''],
])('the words of "%s" are %j, of which bash keeps "%s"', (line, words, kept) => {
  expect(readBashLine(line, breaks)).toEqual({ words, kept });
});

it('what the person has taken out of COMP_WORDBREAKS parts no words', () => {
  expect(readBashLine('k --output=js', ' \t\n').kept).toBe('');
});
