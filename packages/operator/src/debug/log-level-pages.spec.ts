import { createPinoLogger, logLevels } from '@atoll/kube';
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
  expect(lines).toHaveLength(3);
});

it.each(logLevels.flatMap((from) => logLevels.map((to) => ({ from, to }))))(
  'records the change from $from to $to in a line of its own level, which has both',
  ({ from, to }) => {
    const lines: string[] = [];
    const log = createPinoLogger({ level: from, destination: { write: (line) => lines.push(line) } });
    const [, put] = logLevelPages(log, log);
    put?.answer([], to);
    expect(log.level()).toBe(to);
    expect(lines).toHaveLength(1);
    // The text, because a key that is there twice does not show once it is parsed.
    expect(lines[0]?.match(/"level":/g)).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info', from, to, msg: 'log level changed' });
  },
);
