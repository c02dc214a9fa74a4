import { nominalMs, type Span } from './pace.ts';

/** On a machine that is so many times slower than speed 1. */
export function span(ms: number, slower = 1): Span {
  return { ms, referenceMs: nominalMs * slower };
}
