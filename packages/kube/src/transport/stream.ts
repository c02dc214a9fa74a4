import type { Dispatcher } from 'undici';
import {
  ExchangeError,
  describeNetworkFault,
  type ExchangeRequest,
  type StreamedResponse,
} from './exchange.ts';
import { request } from './undici.ts';

/**
 * Sends a request and resolves with the response's headers; the body follows as it arrives, no faster than it is
 * read. The signal ends both. `onClosed` is called exactly once, when the socket is free again, unless this rejects.
 */
export async function openStream(
  dispatcher: Dispatcher,
  wire: ExchangeRequest,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
  onClosed: () => void,
): Promise<StreamedResponse> {
  const { signal, timeoutMs } = limits;
  if (signal?.aborted === true)
    throw new ExchangeError('aborted', false, 'the caller gave up', signal.reason);
  const ending = new AbortController();
  const onAbort = (): void =>
    ending.abort(new ExchangeError('aborted', true, 'the caller gave up', signal?.reason));
  const release = (): void => signal?.removeEventListener('abort', onAbort);
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => {
    ending.abort(new ExchangeError('timeout', true, `no answer within ${timeoutMs} ms`));
  }, timeoutMs);
  try {
    const response = await request(dispatcher, {
      ...wire,
      headers: { ...wire.headers },
      body: null,
      headersTimeout: 0,
      bodyTimeout: 0,
      signal: ending.signal,
    });
    response.body.once('close', () => {
      release();
      onClosed();
    });
    return { code: response.statusCode, headers: response.headers, body: readAll(response.body) };
  } catch (error) {
    release();
    throw asExchangeError(error);
  } finally {
    clearTimeout(timer);
  }
}

async function* readAll(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  try {
    yield* body;
  } catch (error) {
    throw asExchangeError(error);
  }
}

function asExchangeError(error: unknown): ExchangeError {
  return error instanceof ExchangeError
    ? error
    : new ExchangeError('network', true, describeNetworkFault(error), error);
}
