/** In milliseconds; what each means stands at the options of the elector. */
export interface ElectionTiming {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly requestTimeoutMs: number;
  readonly sendWithinMs: number;
}

/** The durations with their defaults. Throws a RangeError that names the option where they cannot work together. */
export function checkedTiming(
  options: Partial<ElectionTiming> & { readonly identity: string },
): ElectionTiming {
  const timing: ElectionTiming = {
    leaseDurationMs: options.leaseDurationMs ?? 15_000,
    renewDeadlineMs: options.renewDeadlineMs ?? 10_000,
    retryPeriodMs: options.retryPeriodMs ?? 2_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 4_000,
    sendWithinMs: options.sendWithinMs ?? 4_000,
  };
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, sendWithinMs } = timing;
  if (options.identity === '') throw new RangeError('leader election: identity must not be empty');
  for (const [name, value] of Object.entries(timing)) {
    if (!(value > 0)) throw new RangeError(`leader election: ${name} must be positive, not ${value}`);
  }
  if (renewDeadlineMs + sendWithinMs >= leaseDurationMs) {
    throw new RangeError(
      `leader election: renewDeadlineMs (${renewDeadlineMs}) + sendWithinMs (${sendWithinMs}) must be less than ` +
        `leaseDurationMs (${leaseDurationMs}), so that the last write of a leader is sent before another can lead`,
    );
  }
  if (retryPeriodMs * 1.2 >= renewDeadlineMs) {
    throw new RangeError(
      `leader election: renewDeadlineMs (${renewDeadlineMs}) must be more than 1.2 times retryPeriodMs (${retryPeriodMs})`,
    );
  }
  return timing;
}
