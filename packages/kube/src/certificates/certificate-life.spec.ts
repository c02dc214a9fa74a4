import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  changeCertificates,
  decideCertificates,
  trustBundle,
  type CertificateChange,
  type CertificateNeeds,
  type Certificates,
} from './certificate-life.ts';
import { fromSecretData, splitPem, toSecretData } from './certificate-secret.ts';
import { day, webhookNeeds } from './webhook-needs.fixture.ts';

const hour = 60 * 60 * 1000;
const start = Date.UTC(2026, 0, 1);
const needs: CertificateNeeds = { ...webhookNeeds, hosts: ['webhook.system.svc', '127.0.0.1'] };

interface Moment {
  readonly at: number;
  readonly change: CertificateChange;
  readonly certificates: Certificates;
}

/** Lets time jump from one due moment to the next, and keeps every state on the way. */
async function live(until: number, from = start, found?: Certificates): Promise<readonly Moment[]> {
  const moments: Moment[] = [];
  let certificates = found;
  let now = from;
  while (now < until && moments.length < 50) {
    const decision = decideCertificates(certificates, needs, now);
    if (decision.change === undefined) {
      if (decision.dueAt <= now) throw new Error('what is due is not done');
      now = decision.dueAt;
      continue;
    }
    certificates = await changeCertificates(certificates, decision.change, needs, now);
    moments.push({ at: now, change: decision.change, certificates });
  }
  return moments;
}

/** As a client of a server does it: some authority of the bundle is valid and has signed the certificate. */
function trusts(bundle: string, servingPem: string, now: number): boolean {
  const leaf = new X509Certificate(servingPem);
  const valid = (certificate: X509Certificate): boolean =>
    Date.parse(certificate.validFrom) <= now && now < Date.parse(certificate.validTo);
  return (
    valid(leaf) &&
    splitPem(bundle)
      .map((pem) => new X509Certificate(pem))
      .some((issuer) => valid(issuer) && leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey))
  );
}

describe('the life of certificates', async () => {
  const moments = await live(start + 3 * 365 * day);
  const days = (change: CertificateChange): readonly number[] =>
    moments.filter((moment) => moment.change === change).map(({ at }) => Math.round((at - start) / day));

  it('renews each when two thirds of its life are over, and an authority in three steps', () => {
    expect(days('start-anew')).toEqual([0]);
    expect(days('add-authority')).toEqual([240, 480, 720, 960]);
    expect(days('promote-authority')).toEqual([241, 481, 721, 961]);
    expect(days('drop-expired')).toEqual([360, 600, 840, 1080]);
    expect(days('issue-serving').slice(0, 5)).toEqual([60, 120, 180, 240, 301]);
  });

  it('never lets a client that is a day behind meet a server that it does not trust, nor a server that is behind', () => {
    for (const [index, { certificates, at }] of moments.entries()) {
      const { certificates: earlier } = moments[index - 1] ?? { certificates };
      const [bundle, oldBundle] = [trustBundle(certificates), trustBundle(earlier)];
      const [serving, oldServing] = [certificates.serving.certificatePem, earlier.serving.certificatePem];
      expect(trusts(bundle, serving, at)).toBe(true);
      expect(trusts(oldBundle, serving, at)).toBe(true);
      expect(trusts(bundle, oldServing, at)).toBe(true);
    }
  });

  it('holds at most three authorities', () => {
    const sizes = moments.map(({ certificates }) => splitPem(trustBundle(certificates)).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3);
  });

  it('goes through a Secret and back unchanged at every moment', () => {
    for (const { certificates } of moments) {
      const read = fromSecretData(toSecretData(certificates));
      expect(read).toEqual(certificates);
    }
  });
});

describe('certificates', async () => {
  const good = await changeCertificates(undefined, 'start-anew', needs, start);
  const other = await changeCertificates(undefined, 'start-anew', needs, start);

  it.each([
    ['an hour', hour],
    ['a minute', 60_000],
  ])(
    'of an authority that is found %s before its end are followed by what is trusted already',
    async (_, left) => {
      const from = start + needs.authorityLifetimeMs - left;
      const moments = await live(from + 3 * day, from, good);
      expect(moments[0]?.change).toBe('add-authority');
      expect(moments.map(({ change }) => change)).not.toContain('start-anew');
      expect(moments.length).toBeLessThan(10);
      // The first adds an authority; what was served had expired.
      for (const [index, { certificates, at }] of moments.slice(1).entries()) {
        const earlier = moments[index]?.certificates ?? certificates;
        expect(trusts(trustBundle(earlier), certificates.serving.certificatePem, at)).toBe(true);
      }
    },
  );

  it('of an authority that has expired meanwhile are signed by the one that is trusted already', async () => {
    const next = await changeCertificates(good, 'add-authority', needs, start + 359 * day);
    expect(decideCertificates(next, needs, start + 361 * day).change).toBe('promote-authority');
    expect(decideCertificates(next, needs, start + 2 * 360 * day).change).toBe('start-anew');
  });

  it('name every host', () => {
    const { certificatePem } = good.serving;
    expect(new X509Certificate(certificatePem).subjectAltName).toBe(
      'IP Address:127.0.0.1, DNS:webhook.system.svc',
    );
  });

  it.each<readonly [string, Certificates | undefined, Partial<CertificateNeeds>, number, CertificateChange]>([
    ['are made where there are none', undefined, {}, start, 'start-anew'],
    ['start anew where the authority has expired', good, {}, start + 361 * day, 'start-anew'],
    ['start anew where the clock stands far before the authority', good, {}, start - 2 * day, 'start-anew'],
    ['are issued where a host is missing', good, { hosts: ['elsewhere'] }, start, 'issue-serving'],
    [
      'are issued where the authority is not the one that signed',
      { ...good, serving: other.serving },
      {},
      start,
      'issue-serving',
    ],
    [
      'are issued where the key is another one',
      { ...good, serving: { ...good.serving, keyPem: other.serving.keyPem } },
      {},
      start,
      'issue-serving',
    ],
  ])('%s', (_, certificates, more, now, change) => {
    expect(decideCertificates(certificates, { ...needs, ...more }, now)).toMatchObject({ change });
  });

  it.each(['::1', '2001:db8::A', '2001:0db8:0000::000a', '::ffff:10.0.0.1', 'Webhook.System.svc'])(
    'are issued once for %s, however it is written',
    async (host) => {
      const asked = { ...needs, hosts: [host] };
      const made = await changeCertificates(undefined, 'start-anew', asked, start);
      expect(decideCertificates(made, asked, start)).toMatchObject({ change: undefined });
      const leaf = new X509Certificate(made.serving.certificatePem);
      expect(isIP(host) === 0 ? leaf.checkHost(host) : leaf.checkIP(host)).toBeDefined();
      const again = await changeCertificates(made, 'issue-serving', asked, start);
      expect(new X509Certificate(again.serving.certificatePem).subjectAltName).toBe(leaf.subjectAltName);
    },
  );

  it('end no later than the authority that signs them', async () => {
    const late = start + needs.authorityLifetimeMs - day;
    const { authority, serving } = await changeCertificates(good, 'issue-serving', needs, late);
    const [signer, leaf] = [authority, serving].map(
      ({ certificatePem }) => new X509Certificate(certificatePem),
    );
    expect(Date.parse(leaf?.validTo ?? '')).toBe(Date.parse(signer?.validTo ?? ''));
  });

  it('keep names that another replica asked for', async () => {
    const more = { ...needs, hosts: ['elsewhere'] };
    const { serving } = await changeCertificates(good, 'issue-serving', more, start);
    expect(new X509Certificate(serving.certificatePem).subjectAltName).toBe(
      'IP Address:127.0.0.1, DNS:elsewhere, DNS:webhook.system.svc',
    );
  });

  it('do not become more and more while replicas, whose clocks are two years apart, take turns', async () => {
    let certificates: Certificates | undefined;
    const sizes: number[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      const now = start + (turn % 2) * 2 * 365 * day + turn * 60_000;
      const decision = decideCertificates(certificates, needs, now);
      if (decision.change === undefined) throw new Error('nothing is due');
      certificates = await changeCertificates(certificates, decision.change, needs, now);
      expect(trusts(trustBundle(certificates), certificates.serving.certificatePem, now)).toBe(true);
      sizes.push(splitPem(trustBundle(certificates)).length);
    }
    expect(Math.max(...sizes)).toBe(9);
  });

  it('are fewer again where an earlier release left too many', async () => {
    const certificates = await changeCertificates(undefined, 'start-anew', needs, start);
    const others = Array.from({ length: 30 }, async (_, index) =>
      changeCertificates(undefined, 'start-anew', needs, start + index * 1_000),
    );
    const retired = (await Promise.all(others)).map(({ authority }) => authority.certificatePem);
    const decision = decideCertificates({ ...certificates, retired }, needs, start);
    expect(decision).toMatchObject({ change: 'drop-expired', why: 'there are more than 8 old authorities' });
    const after = await changeCertificates({ ...certificates, retired }, 'drop-expired', needs, start);
    expect(after.retired).toEqual(retired.slice(0, 8));
    expect(decideCertificates(after, needs, start).change).toBeUndefined();
  });

  it('stay trusted where everything starts anew', async () => {
    const anew = await changeCertificates(good, 'start-anew', needs, start + day);
    expect(trusts(trustBundle(anew), good.serving.certificatePem, start + day)).toBe(true);
  });

  const data = toSecretData(good);
  it.each<readonly [string, Readonly<Record<string, string>> | undefined]>([
    ['nothing', undefined],
    ['an empty Secret', {}],
    ['no key of the authority', { ...data, 'ca.key': '' }],
    ['a key of another authority', { ...data, 'ca.key': toSecretData(other)['ca.key'] ?? '' }],
    ['a serving certificate that is none', { ...data, 'tls.crt': 'bm90aGluZw==' }],
  ])('cannot be read from %s', (_, found) => {
    expect(fromSecretData(found)).toBeUndefined();
  });
});
