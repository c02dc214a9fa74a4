import { pino, stdSerializers, type DestinationStream } from 'pino';
import { ApiError } from '../client/api-error.ts';
import { visibleInLine } from '../values/visible-text.ts';
import type { Logger } from './logger.ts';

/** The levels of a log, the most talkative first. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
/** One of {@link logLevels}. */
export type LogLevel = (typeof logLevels)[number];

/** The options of {@link createPinoLogger}. */
export interface PinoLoggerOptions {
  /** Default `info`. */
  readonly level?: LogLevel;
  /** `json`: one object a line, for machines. `text`: for people at a terminal. Default `json`. */
  readonly format?: 'json' | 'text';
  /** Where lines go; standard error by default, as Kubernetes' own components do. Written at once, so that nothing is lost on exit. */
  readonly destination?: DestinationStream;
}

/** What a log leaves out, which may change while the process runs. */
export interface AdjustableLevel {
  level(): LogLevel;
  setLevel(level: LogLevel): void;
}

/**
 * A {@link Logger} on pino. Errors are logged under `err`, refusals of the API server with its answer. Its children follow its level:
 * those of pino keep the one that they were made with.
 */
export function createPinoLogger(options: PinoLoggerOptions = {}): Logger & AdjustableLevel {
  let { level = 'info' } = options;
  const { format = 'json' } = options;
  const lines = options.destination ?? standardError();
  const writer = pino(
    {
      level: logLevels[0],
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError },
    },
    format === 'json' ? lines : asText(lines),
  );
  const shows = (asked: LogLevel): boolean => logLevels.indexOf(asked) >= logLevels.indexOf(level);
  return {
    ...levelled(writer, shows),
    level: () => level,
    setLevel: (next) => {
      level = next;
    },
  };
}

/**
 * Standard error may be a file on a disk that is full. That must not end the process, as an error that nobody takes would: lines that
 * the disk does not take are lost, and do not wait in memory. Of the last one it may have taken a part, which the next line must not continue.
 */
function standardError(): DestinationStream {
  let isTorn = false;
  const open = (): ReturnType<typeof pino.destination> => {
    const opened = pino.destination({ dest: 2, sync: true });
    opened.on('error', (error: NodeJS.ErrnoException) => {
      // Nobody reads it any more; pino writes nothing then.
      if (error.code === 'EPIPE') return;
      lines = open();
      isTorn = true;
    });
    return opened;
  };
  let lines = open();
  return {
    write: (line) => {
      const start = isTorn ? '\n' : '';
      isTorn = false;
      lines.write(start + line);
    },
  };
}

function levelled(to: Logger, shows: (level: LogLevel) => boolean): Logger {
  return {
    debug: (fields, message) => void (shows('debug') && to.debug(fields, message)),
    info: (fields, message) => void (shows('info') && to.info(fields, message)),
    warn: (fields, message) => void (shows('warn') && to.warn(fields, message)),
    error: (fields, message) => to.error(fields, message),
    child: (bindings) => levelled(to.child(bindings), shows),
  };
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error instanceof Error ? stdSerializers.err(error) : error;
  const { attempted, code, reason, fate, message } = error;
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  return {
    type: error.name,
    message,
    attempted,
    code,
    reason,
    fate,
    ...(cause === undefined ? {} : { cause }),
  };
}

function asText(lines: DestinationStream): DestinationStream {
  return { write: (line: string) => lines.write(textLine(line)) };
}

/** `12:00:01.250 WARN  lease not renewed controller=node-pool key=hz` and the error below it. */
function textLine(json: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const at = String(time).slice(11, 23);
  const rest = Object.entries(fields).map(([key, value]) => ` ${plain(key)}=${plain(value)}`);
  return `${at} ${String(level).toUpperCase().padEnd(5)} ${plain(msg ?? '')}${rest.join('')}${errorText(err)}\n`;
}

/** What comes from objects of people could hold line breaks, and with them lines that nobody wrote. */
function plain(value: unknown): string {
  return visibleInLine(typeof value === 'string' ? value : JSON.stringify(value));
}

function errorText(error: unknown): string {
  if (error === undefined || error === null) return '';
  const { message, stack } = error as { readonly message?: unknown; readonly stack?: unknown };
  const text = stack ?? message ?? error;
  const lines = (typeof text === 'string' ? text : JSON.stringify(text)).split('\n');
  return lines.map((line) => `\n  ${visibleInLine(line)}`).join('');
}
