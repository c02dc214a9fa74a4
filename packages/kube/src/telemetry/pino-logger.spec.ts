import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../testing/refusal-of.ts';
import { createPinoLogger, type PinoLoggerOptions } from './pino-logger.ts';

function logInto(options: PinoLoggerOptions = {}): {
  logger: ReturnType<typeof createPinoLogger>;
  lines: string[];
} {
  const lines: string[] = [];
  return {
    logger: createPinoLogger({ ...options, destination: { write: (line) => lines.push(line) } }),
    lines,
  };
}

const refused = refusalOf(403, 'create deployments.apps edge/web-hz', 'not allowed');

describe('json', () => {
  test('is one object a line, with the level as a word and the time in RFC 3339', () => {
    const { logger, lines } = logInto();
    logger.child({ controller: 'node-pool' }).info({ key: 'hz' }, 'pool synced');
    expect(lines).toHaveLength(1);
    const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    expect(line).toEqual({
      level: 'info',
      time: line['time'],
      controller: 'node-pool',
      key: 'hz',
      msg: 'pool synced',
    });
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('logs what the API server answered', () => {
    const { logger, lines } = logInto();
    logger.error({ err: refused }, 'reconcile failed');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      err: {
        type: 'ApiError',
        attempted: 'create deployments.apps edge/web-hz',
        code: 403,
        reason: 'Forbidden',
        fate: 'refused',
      },
    });
  });

  test('keeps the stack of other errors', () => {
    const { logger, lines } = logInto();
    logger.error({ err: new TypeError('oops') }, 'reconcile failed');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      err: { type: 'TypeError', message: 'oops', stack: expect.stringContaining('pino-logger.spec') },
    });
  });
});

test('text is a line for people', () => {
  const { logger, lines } = logInto({ format: 'text' });
  logger.warn({ controller: 'node-pool', key: 'hz', failures: 2 }, 'reconcile failed');
  logger.error({ err: refused }, 'reconcile failed');
  expect(lines[0]).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} WARN {2}reconcile failed controller=node-pool key=hz failures=2\n$/,
  );
  expect(lines[1]).toMatch(
    /ERROR reconcile failed\n {2}create deployments\.apps edge\/web-hz: not allowed\n$/,
  );
});

test('a text that holds line breaks forges no line', () => {
  const { logger, lines } = logInto({ format: 'text' });
  const forged = 'hz\n12:00:00.000 ERROR on fire\r\u001b[2J\u2028';
  logger.warn({ key: forged, [forged]: { value: forged } }, forged);
  logger.error({ err: new Error(forged) }, 'reconcile failed');
  expect(lines[0]?.trimEnd()).not.toMatch(/[\p{Cc}\u2028]/u);
  expect(lines[0]).toContain('key=hz\\n12:00:00.000 ERROR on fire\\r\\u001b[2J\\u2028');
  for (const line of lines[1]?.trimEnd().split('\n').slice(1) ?? []) {
    expect(line).toMatch(/^ {2}[^\p{Cc}\u2028]*$/u);
  }
});

test('less than the level is not written', () => {
  const { logger, lines } = logInto({ level: 'warn' });
  logger.debug({}, 'a');
  logger.info({}, 'b');
  logger.warn({}, 'c');
  expect(lines).toHaveLength(1);
});

describe('standard error that is a file on a full disk', () => {
  /** A process whose log meets the disk `full` or not; yields its log. */
  async function logOf(program: string): Promise<string> {
    const source = `
      import fs from 'node:fs';
      import { setTimeout as delay } from 'node:timers/promises';
      import { createPinoLogger } from ${JSON.stringify(fileURLToPath(new URL('pino-logger.ts', import.meta.url)))};
      const write = fs.writeSync;
      let full = true;
      let room = 0;
      fs.writeSync = (fd, ...rest) => {
        if (fd !== 2 || !full) return write(fd, ...rest);
        if (room > 0) return (write(fd, String(rest[0]).slice(0, room)), room - (room = 0));
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      };
      const log = createPinoLogger();
      ${program}
    `;
    const args = ['--expose-gc', '--input-type=module', '--eval', source];
    return (await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 })).stderr;
  }

  const messages = (logged: string): readonly string[] =>
    logged
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { readonly msg: string }).msg);

  test('ends no process, and takes lines again when there is room', async () => {
    const logged = await logOf(`
      log.info({}, 'one');
      await delay(5);
      log.info({}, 'two');
      full = false;
      log.info({}, 'three');
      log.info({}, 'four');
    `);
    expect(messages(logged)).toEqual(['three', 'four']);
  });

  test('leaves a line whole that follows one of which the disk took a part', async () => {
    const logged = await logOf(`
      room = 10;
      log.info({}, 'torn');
      log.info({}, 'lost');
      full = false;
      log.info({}, 'whole');
      log.info({}, 'next');
    `);
    const [torn, ...lines] = logged.split('\n').filter((line) => line !== '');
    expect([torn?.length, messages(lines.join('\n'))]).toEqual([10, ['whole', 'next']]);
  });

  test('makes no lines wait in memory', async () => {
    const logged = await logOf(`
      const before = process.memoryUsage().heapUsed;
      for (let line = 0; line < 2_000; line += 1) log.info({ line }, 'x'.repeat(100_000));
      await delay(5);
      gc();
      full = false;
      log.info({}, String(process.memoryUsage().heapUsed - before < 100e6));
    `);
    expect(messages(logged)).toEqual(['true']);
  });
});
