import type { Clock } from '../clock/clock.ts';

/**
 * Gives a request up after its time or when the signal ends, also where the client does not. The request may still
 * take effect on the server.
 */
export async function boundedRequest<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  request: (options: { readonly signal: AbortSignal; readonly timeoutMs: number }) => Promise<T>,
): Promise<T> {
  const giveUp = new AbortController();
  const cancel = clock.setTimer(timeoutMs, () =>
    giveUp.abort(new Error(`no answer within ${Math.round(timeoutMs)} ms`)),
  );
  const stop = (): void => giveUp.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    return await Promise.race([
      request({ signal: giveUp.signal, timeoutMs }),
      rejectWhenEnded(giveUp.signal),
    ]);
  } finally {
    cancel();
    signal?.removeEventListener('abort', stop);
  }
}

function rejectWhenEnded(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
