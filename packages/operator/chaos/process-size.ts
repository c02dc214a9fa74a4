import { openFilesOf, rssOf } from '@atoll/testbed';
import type { ProcessSize } from './chaos-report.ts';

interface Program {
  readonly name: string;
  readonly pid: number | undefined;
  /** Base URL of its `/metrics`. */
  readonly url: string;
}

/** What a process holds now; undefined: it does not run. `read` yields its metrics as text. */
export async function processSize(
  { name, pid, url }: Program,
  read: (url: string) => Promise<string> = readMetrics,
): Promise<ProcessSize | undefined> {
  if (pid === undefined) return undefined;
  const timers = await read(url).then(timersIn, () => undefined);
  try {
    return { name, megabytes: Math.round(rssOf(pid) / 1024 / 1024), files: openFilesOf(pid), timers };
  } catch {
    // It ended just now.
    return { name, megabytes: 0, files: 0, timers: undefined };
  }
}

/** Timers that are set, by the metrics of a process; undefined: the text has none of them. Node does not count those that let it end (`unref`). */
export function timersIn(metrics: string): number | undefined {
  if (!/^nodejs_active_resources_total /m.test(metrics)) return undefined;
  return Number(/^nodejs_active_resources\{type="Timeout"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

async function readMetrics(url: string): Promise<string> {
  const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5_000) });
  return answer.text();
}
