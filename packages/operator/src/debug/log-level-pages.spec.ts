import { createPinoLogger } from '@atoll/kube';
import { expect, it } from 'vitest';
import { logLevelPages } from './log-level-pages.ts';

it('shows the level and changes it, for loggers that are there already too', () => {
  const lines: string[] = [];
  const log = createPinoLogger({ destination: { write: (line) => lines.push(line) } });
  const child = log.child({ controller: 'c' });
  const [get, put] = logLevelPages(log, log);
  child.debug({}, 'before');
  expect(get?.answer([], '')).toEqual({ code: 200, body: 'info\n' });
  expect(put?.answer([], 'debug\n')).toEqual({ code: 200, body: 'debug\n' });
  child.debug({}, 'after');
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'log level changed',
    'after',
  ]);
  expect(put?.answer([], 'loud')).toEqual({
    code: 400,
    body: '"loud" is no level: send debug, info, warn, error as the body.\n',
  });
  put?.answer([], 'error');
  child.warn({}, 'less');
  expect(lines).toHaveLength(2);
});
