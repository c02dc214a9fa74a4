/** What a request is answered with. */
export interface Answer {
  readonly code: number;
  readonly body: string;
  readonly contentType: string;
}

const text = 'text/plain; charset=utf-8';
const json = 'application/json';

export function refusal(code: number, body: string): Answer {
  return { code, body, contentType: text };
}

/** A plain sentence under the media type of JSON, as yurthub sends it. */
export function done(body: string): Answer {
  return { code: 200, body, contentType: json };
}

export function jsonAnswer(value: unknown): Answer {
  return { code: 200, body: JSON.stringify(value), contentType: json };
}

export function textAnswer(body: string, contentType = text): Answer {
  return { code: 200, body, contentType };
}
