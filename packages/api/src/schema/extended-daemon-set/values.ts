import { z } from 'zod';
import { cel, int32, intOrString, rules, type CelRule } from '../markers.ts';

/**
 * Digits before the point. No text of {@link maxDurationLength} with so few is longer than the 292 years that 64 bits of
 * nanoseconds hold. A rule that fails to evaluate is not forgiven to what was stored before (Kubernetes 1.36), so CEL's
 * `duration()` must never meet a text that is too long for it.
 */
const maxDigits = { h: 5, m: 6, s: 9, ms: 12, us: 15, µs: 15, μs: 15, ns: 18 };
const maxDurationLength = 64;
const maxAmountLength = 16;

const parts = Object.entries(maxDigits).map(
  ([unit, digits]) => `([0-9]{1,${digits}}([.][0-9]*)?|[.][0-9]+)${unit}`,
);
/** Source: Go's `time.ParseDuration`, without a minus. */
const durationPattern = `^[+]?(0|(${parts.join('|')})+)$`;
const durationExpression = new RegExp(durationPattern);

/** CEL that is true of a string that {@link durationOf} accepts. */
export function isDurationText(self: string): string {
  return `${self}.matches('${durationPattern}')`;
}

const durationSyntax = cel(
  isDurationText('self'),
  'must be a duration of at least 0: numbers with the units h, m, s, ms, us or ns, such as 1h30m, 10s or 250ms',
);

/**
 * A Go duration. The old operator's schema takes any text, and one object with a text that is no duration keeps its
 * controllers from reading any. A negative one it accepted, and took it for one that is over.
 */
export function durationOf(description: string, ...more: readonly CelRule[]) {
  return z
    .string()
    .max(maxDurationLength)
    .refine((text) => durationExpression.test(text))
    .meta(rules(durationSyntax, ...more))
    .describe(description)
    .optional();
}

/** For {@link durationOf}: the old operator accepted a zero and ended with a division by it, again and again. */
export const longerThanZero = cel("self.matches('[1-9]')", 'must be longer than 0');

const amountSyntax = cel(
  "type(self) == int ? self >= 0 : self.matches('^[+]?[0-9]+%$')",
  'must be a number of at least 0, or a whole percentage such as 10%',
);

/**
 * A number, or a percentage of the nodes. The old operator accepted every other text and every negative number: with
 * the texts its reconciles failed for ever, with the numbers nothing was done.
 */
export function amountOf(description: string, ...more: readonly CelRule[]) {
  return intOrString()
    .refine((amount) => (typeof amount === 'number' ? amount >= 0 : /^[+]?[0-9]+%$/.test(amount)))
    .meta({ 'x-kubernetes-int-or-string': true, maxLength: maxAmountLength, ...rules(amountSyntax, ...more) })
    .describe(description)
    .optional();
}

/** For {@link amountOf}: the old operator accepted 0, and with it no rollout ever replaced a pod. */
export const notZero = cel(
  "type(self) == int ? self != 0 : self.matches('[1-9]')",
  'must not be 0: nothing would ever be replaced. To stop a rollout, set the annotation extendeddaemonset.datadoghq.com/rolling-update-paused',
);

/** A number of at least 0. The old operator accepted negative ones: no pod was created, or every canary was paused. */
export function countOf(description: string) {
  return int32().min(0).describe(description).optional();
}
