/** One listener for each signal: an event target's own cost more than a request that is never given up. */
const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls the listener when the signal ends, which must not have happened yet. Returns how to stop; never throws. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const ofSignal = listeners.get(signal) ?? listenTo(signal);
  // A function of its own, so that one listener may be there twice.
  const entry = (): void => listener();
  ofSignal.add(entry);
  return () => void ofSignal.delete(entry);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const ofSignal = new Set<() => void>();
  listeners.set(signal, ofSignal);
  const abort = (): void => {
    for (const listener of ofSignal) listener();
  };
  signal.addEventListener('abort', abort, { once: true });
  return ofSignal;
}
