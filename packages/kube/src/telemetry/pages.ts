import type { IncomingMessage, ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import { gaugesText, type GaugeFamily } from './gauges-text.ts';
import { answerGuarded, isGuarded, type GuardedPages } from './guarded-pages.ts';
import type { Metrics } from './metrics.ts';
import { openToAll, type PageAccess } from './page-access.ts';
import { letIn, refuseMethod, reply } from './reply.ts';

/** Gauges that are computed when they are read, by the page that has them: `metrics` stands for `/metrics`. */
export type GaugePages = ReadonlyMap<string, () => readonly GaugeFamily[]>;

/** What a process shows besides its health. */
export interface Pages {
  readonly metrics?: Metrics | undefined;
  /** Those of `metrics` stand behind the manager's own metrics. */
  readonly gauges?: GaugePages | undefined;
  /** Who sees metrics and gauges; default: everybody who can connect. */
  readonly metricsAccess?: PageAccess | undefined;
  readonly guarded?: GuardedPages | undefined;
}

/** Whether the path is that of one of the pages. */
export function isPage(pages: Pages, path: string): boolean {
  return (pages.guarded !== undefined && isGuarded(pages.guarded, path)) || hasMetrics(pages, path.slice(1));
}

/** Answers for a path that {@link isPage}. */
export async function answerPage(
  pages: Pages,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { guarded, metricsAccess = openToAll } = pages;
  if (guarded !== undefined && isGuarded(guarded, path))
    return answerGuarded(guarded, path, request, response);
  const { method = '' } = request;
  if (method !== 'GET' && method !== 'HEAD') return refuseMethod(response, ['GET', 'HEAD']);
  if (!(await letIn(metricsAccess, 'get', path, request, response))) return undefined;
  return reply(response, 200, await metricsPage(pages, path.slice(1)), Registry.PROMETHEUS_CONTENT_TYPE);
}

function hasMetrics({ metrics, gauges }: Pages, name: string): boolean {
  return (name === 'metrics' && metrics !== undefined) || gauges?.has(name) === true;
}

async function metricsPage({ metrics, gauges }: Pages, name: string): Promise<string> {
  const own = name === 'metrics' ? await metrics?.registry.metrics() : undefined;
  return (own ?? '') + gaugesText(gauges?.get(name)?.() ?? []);
}
