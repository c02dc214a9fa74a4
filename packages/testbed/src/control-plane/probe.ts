import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

/** Whether the URL answers 200 within two seconds. Never rejects. */
export async function probe(url: string, ca?: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const get = url.startsWith('https:') ? getHttps : getHttp;
  const request = get(
    url,
    { agent: false, timeout: 2000, ...(ca === undefined ? {} : { ca }) },
    (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    },
  );
  request.on('timeout', () => request.destroy());
  request.on('error', () => resolve(false));
  return promise;
}
