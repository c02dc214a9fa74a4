import { parseDuration } from '@atoll/kube';

/** Milliseconds of `--request-timeout`, which is a Go duration or, as kubectl takes it, a whole number of seconds. undefined: neither. */
export function requestTimeout(text: string): number | undefined {
  try {
    const milliseconds = parseDuration(/^\+?\d{1,9}$/.test(text) ? `${text}s` : text);
    return milliseconds < 0 ? undefined : milliseconds;
  } catch {
    return undefined;
  }
}
