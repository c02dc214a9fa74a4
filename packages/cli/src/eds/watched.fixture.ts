import type { IncomingMessage } from 'node:http';
import { refusal } from './served.fixture.ts';

const eventsEnd = { resourceVersion: '6', annotations: { 'k8s.io/initial-events-end': 'true' } };
/** What was there when the watch began is complete. */
export const initialEnd = { type: 'BOOKMARK', object: { metadata: eventsEnd } };

/** The answer to a watch, which ends after these events. */
export function streamOf(...events: readonly object[]): { readonly body: string } {
  return { body: events.map((event) => `${JSON.stringify(event)}\n`).join('') };
}

export function listOf(...items: readonly object[]) {
  return { body: { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '5' }, items } };
}

/** Ends a command that watches: a refusal that does not pass. */
export const enough = refusal(403, 'Forbidden', 'enough');

export function isWatch({ url = '' }: Pick<IncomingMessage, 'url'>): boolean {
  return url.includes('watch=');
}

export function rowsOf(out: string): readonly string[] {
  return out.trimEnd().split('\n');
}
