import type { Span } from './pace.ts';

export function span(ms: number, referenceMs = 1000): Span {
  return { ms, referenceMs };
}
