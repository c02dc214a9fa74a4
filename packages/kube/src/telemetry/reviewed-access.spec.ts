import { describe, expect, it } from 'vitest';
import { ApiError } from '../client/api-error.ts';
import type { RawRequest, RawResponse } from '../client/streaming-client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { silentLogger } from './logger.ts';
import type { PageDecision } from './page-access.ts';
import { reviewedAccess } from './reviewed-access.ts';

interface Review {
  readonly kind: string;
  readonly spec: { readonly token?: string; readonly user?: string; readonly nonResourceAttributes?: object };
}

type Answer = (review: Review) => object | Promise<object>;

/** Every token is that of the user of its name; `prometheus` may see pages. */
const usual: Answer = ({ kind, spec }) =>
  kind === 'TokenReview'
    ? spec.token?.startsWith('expired') === true
      ? { authenticated: false }
      : { authenticated: true, user: { username: spec.token, groups: ['scrapers'] } }
    : { allowed: spec.user === 'prometheus', reason: '' };

function access(answer: Answer = usual) {
  const clock = new FakeClock();
  const asked: Review[] = [];
  const raw = async ({ body = '' }: RawRequest): Promise<RawResponse> => {
    const review = JSON.parse(body) as Review;
    asked.push(review);
    const status = await answer(review);
    return { code: 201, headers: {}, body: Buffer.from(JSON.stringify({ ...review, status })) };
  };
  const decide = reviewedAccess({ client: { raw }, clock, logger: silentLogger });
  const get = async (authorization?: string, path = '/metrics', address?: string): Promise<PageDecision> =>
    decide({ authorization, verb: 'get', path, address });
  return { clock, asked, get };
}

describe('access by review', () => {
  it('lets in whom the API server authenticates and allows, and asks with all that it returned of the user', async () => {
    const { get, asked } = access();
    expect(await get('Bearer prometheus')).toEqual({ allowed: true, user: 'prometheus' });
    expect(asked.map(({ kind, spec }) => [kind, spec])).toEqual([
      ['TokenReview', { token: 'prometheus' }],
      [
        'SubjectAccessReview',
        {
          user: 'prometheus',
          groups: ['scrapers'],
          nonResourceAttributes: { path: '/metrics', verb: 'get' },
        },
      ],
    ]);
  });

  it.each([[undefined], ['Basic cHJvbTpwYXNz'], ['Bearer'], ['Bearer a b'], ['prometheus']])(
    'asks nobody about %j, and answers what to send',
    async (header) => {
      const { get, asked } = access();
      expect(await get(header)).toEqual({
        allowed: false,
        code: 401,
        message:
          '/metrics is shown to users of the cluster only: send "Authorization: Bearer <token>" with the token of an account that may get it (kubectl create token <serviceaccount>).',
      });
      expect(asked).toEqual([]);
    },
  );

  it('refuses a token that is not accepted, and a user without the right, each in words that help', async () => {
    const { get } = access();
    expect(await get('Bearer expired')).toMatchObject({
      code: 401,
      message: expect.stringContaining('does not accept this token for /metrics') as string,
    });
    expect(await get('Bearer grafana')).toEqual({
      allowed: false,
      code: 403,
      message:
        'User "grafana" may not get /metrics: bind it to a ClusterRole with the verb "get" on nonResourceURLs ["/metrics"].',
    });
  });

  it('remembers a right for a minute and a refusal for ten seconds, for this path and this token only', async () => {
    const { get, asked, clock } = access();
    await get('Bearer prometheus');
    await clock.advance(59_999);
    await get('Bearer prometheus');
    expect(asked).toHaveLength(2);
    await get('Bearer prometheus', '/ksmetrics');
    expect(asked).toHaveLength(4);
    await clock.advance(1);
    await get('Bearer prometheus');
    expect(asked).toHaveLength(6);
    await get('Bearer grafana');
    await clock.advance(9_999);
    await get('Bearer grafana');
    expect(asked).toHaveLength(8);
    await clock.advance(1);
    await get('Bearer grafana');
    expect(asked).toHaveLength(10);
  });

  it('asks once for requests that come together', async () => {
    const { get, asked } = access();
    const decisions = await Promise.all(Array.from({ length: 50 }, async () => get('Bearer prometheus')));
    expect(decisions.every(({ allowed }) => allowed)).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('has at most eight reviews under way, and goes on with those that it remembers', async () => {
    const waiting = Promise.withResolvers<void>();
    const { get, asked } = access(async (review) => {
      if (review.spec.token?.startsWith('stranger') === true) await waiting.promise;
      return usual(review);
    });
    await get('Bearer prometheus');
    const strangers = Array.from({ length: 20 }, async (_, index) => get(`Bearer stranger-${index}`));
    expect(await get('Bearer prometheus')).toMatchObject({ allowed: true });
    expect(asked.filter(({ kind }) => kind === 'TokenReview')).toHaveLength(1 + 8);
    waiting.resolve();
    const codes = (await Promise.all(strangers)).map((decision) => !decision.allowed && decision.code);
    expect(codes.filter((code) => code === 503)).toHaveLength(12);
    expect(codes.filter((code) => code === 403)).toHaveLength(8);
  });

  it('asks again about those that it has let in, whatever strangers have under way, and however many came', async () => {
    const { get, clock } = access(async (review) => {
      if (review.spec.token?.startsWith('slow') === true) await new Promise(() => undefined);
      return usual(review);
    });
    await get('Bearer prometheus');
    for (let index = 0; index < 1_100; index += 1) {
      await get(`Bearer stranger-${index}`);
      if (index % 8 === 7) await clock.advance(1_000);
    }
    for (let index = 0; index < 20; index += 1) void get(`Bearer slow-${index}`);
    expect(await get('Bearer prometheus')).toMatchObject({ allowed: true });
  });

  it('asks about the next token of an address from which one was let in, until one from there is refused', async () => {
    const { get, clock } = access(async (review) => {
      if (review.spec.token?.startsWith('slow') === true) await new Promise(() => undefined);
      return review.spec.token === 'renewed'
        ? { authenticated: true, user: { username: 'prometheus' } }
        : usual(review);
    });
    await get('Bearer prometheus', '/metrics', '10.0.0.1');
    for (let index = 0; index < 20; index += 1) void get(`Bearer slow-${index}`, '/metrics', '10.0.0.2');
    expect(await get('Bearer renewed', '/metrics', '10.0.0.2')).toMatchObject({ code: 503 });
    expect(await get('Bearer renewed', '/metrics', '10.0.0.1')).toMatchObject({ allowed: true });
    expect(await get('Bearer expired', '/metrics', '10.0.0.1')).toMatchObject({ code: 401 });
    await clock.advance(60_000);
    expect(await get('Bearer another', '/metrics', '10.0.0.1')).toMatchObject({ code: 503 });
    expect(await get('Bearer renewed', '/metrics', '10.0.0.1')).toMatchObject({ allowed: true });
  });

  it('asks about what it has let in also where strangers share the address of another that it has let in', async () => {
    const { get, clock } = access();
    await get('Bearer prometheus', '/metrics', '10.0.0.1');
    await get('Bearer prometheus', '/debug/level', '10.0.0.2');
    await clock.advance(60_000);
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => get(`Bearer expired-${index}`, '/metrics', '10.0.0.2')),
    );
    expect(await get('Bearer prometheus', '/metrics', '10.0.0.1')).toMatchObject({ allowed: true });
  });

  it('keeps the place of those that it has let in while the API server does not answer', async () => {
    let answers = true;
    const { get, clock } = access(async (review) => {
      if (review.spec.token?.startsWith('slow') === true) await new Promise(() => undefined);
      if (answers) return usual(review);
      throw new ApiError({ message: 'no', attempted: 'POST', code: 503, reason: 'none', fate: 'refused' });
    });
    await get('Bearer prometheus');
    await clock.advance(60_000);
    answers = false;
    expect(await get('Bearer prometheus')).toMatchObject({ code: 503 });
    answers = true;
    for (let index = 0; index < 20; index += 1) void get(`Bearer slow-${index}`);
    expect(await get('Bearer prometheus')).toMatchObject({ allowed: true });
  });

  it('asks about eight strangers a second, so that nobody makes it burden the API server', async () => {
    const { get, asked, clock } = access();
    const codes: (number | false)[] = [];
    for (let index = 0; index < 100; index += 1) {
      const decision = await get(`Bearer expired-${index}`);
      codes.push(!decision.allowed && decision.code);
    }
    expect(asked.filter(({ kind }) => kind === 'TokenReview')).toHaveLength(8);
    expect(codes.filter((code) => code === 503)).toHaveLength(92);
    await clock.advance(1_000);
    expect(await get('Bearer grafana')).toMatchObject({ code: 403 });
  });

  it('lets nobody in without an answer, and asks again at the next request', async () => {
    let code = 403;
    const { get } = access((review) => {
      if (code === 200) return usual(review);
      const reason = code === 403 ? 'Forbidden' : 'InternalError';
      throw new ApiError({ message: 'refused', attempted: 'POST', code, reason, fate: 'refused' });
    });
    expect(await get('Bearer prometheus')).toMatchObject({
      code: 503,
      message: expect.stringContaining('may not review tokens') as string,
    });
    code = 500;
    expect(await get('Bearer prometheus')).toMatchObject({
      code: 503,
      message: expect.stringContaining('does not answer') as string,
    });
    code = 200;
    expect(await get('Bearer prometheus')).toMatchObject({ allowed: true });
  });
});
