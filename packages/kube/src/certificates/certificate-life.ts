import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Instant } from '../clock/clock.ts';
import { canonicalHost } from './canonical-host.ts';
import type { KeyAndCertificate } from './certificate.ts';
import { backdatedMs } from './validity.ts';

/** What is asked of the certificates of a server. Durations in milliseconds. */
export interface CertificateNeeds {
  /** The common name of the authority begins with it. */
  readonly name: string;
  /** DNS names and IP addresses under which clients reach the server. */
  readonly hosts: readonly string[];
  readonly authorityLifetimeMs: number;
  readonly servingLifetimeMs: number;
  /** How long a new authority is trusted before it signs anything, so that every client has it by then. */
  readonly overlapMs: number;
}

/** An authority and a serving certificate, at any moment of their life. */
export interface Certificates {
  /** Signs serving certificates. */
  readonly authority: KeyAndCertificate;
  /** Trusted already, and signs from the end of the overlap on. */
  readonly next: KeyAndCertificate | undefined;
  /** Signed before, and trusted until it expires: somebody may still serve what it signed. */
  readonly retired: readonly string[];
  readonly serving: KeyAndCertificate;
}

export type CertificateChange =
  'start-anew' | 'add-authority' | 'promote-authority' | 'issue-serving' | 'drop-expired';

/**
 * A life has two. Replicas of which each takes the authority of the other for one of another time, because their clocks are years apart, make
 * new ones by turns, without end; the newest are kept.
 */
const mostRetired = 8;

/** What is due now, or when something will be. */
export type CertificateDecision =
  | { readonly change: CertificateChange; readonly why: string }
  | { readonly change: undefined; readonly dueAt: Instant };

/** All authorities that a client has to trust, as one PEM text, newest first. */
export function trustBundle({ authority, next, retired }: Certificates): string {
  const newer = next === undefined ? [] : [next.certificatePem];
  return [...newer, authority.certificatePem, ...retired].map((pem) => `${pem.trim()}\n`).join('');
}

/**
 * Decides the one next change. Certificates are renewed when two thirds of their life are over. An authority is
 * replaced in three steps: the new one is trusted beside the old; after the overlap it signs; the old one is trusted
 * until it expires. So at no moment does anybody serve what some client does not trust yet, or any more.
 */
export function decideCertificates(
  certificates: Certificates | undefined,
  needs: CertificateNeeds,
  now: Instant,
): CertificateDecision {
  if (certificates === undefined) return { change: 'start-anew', why: 'there are no usable certificates' };
  const { authority, next, retired, serving } = certificates;
  const signer = lifeOf(authority.certificatePem);
  const successor = next === undefined ? undefined : lifeOf(next.certificatePem);
  const promoteAt = successor === undefined ? undefined : promotionOf(successor, signer, needs.overlapMs);
  if (next !== undefined && !isOurs(next, needs))
    return { change: 'start-anew', why: 'the new authority is none that was made here' };
  if (successor !== undefined && promoteAt !== undefined && isValid(successor, now) && now >= promoteAt) {
    return { change: 'promote-authority', why: 'the new authority has been trusted for long enough' };
  }
  if (!isValid(signer, now)) return { change: 'start-anew', why: 'the authority is not valid now' };
  if (!isOurs(authority, needs))
    return { change: 'start-anew', why: 'the authority is none that was made here' };
  if (next === undefined && now >= signer.renewAt) {
    return { change: 'add-authority', why: 'the authority has lived two thirds of its life' };
  }
  const why = whyReissue(certificates, needs, now);
  if (why !== undefined) return { change: 'issue-serving', why };
  const ends = retired.map((pem) => lifeOf(pem).end);
  if (ends.some((end) => now >= end)) return { change: 'drop-expired', why: 'an old authority has expired' };
  if (retired.length > mostRetired)
    return { change: 'drop-expired', why: `there are more than ${mostRetired} old authorities` };
  const moments = [promoteAt ?? signer.renewAt, lifeOf(serving.certificatePem).renewAt, ...ends];
  return { change: undefined, dueAt: Math.min(...moments) };
}

/**
 * Carries a change out. What is not changed is the same object. The library that makes certificates takes memory and
 * time to load, so only who makes one loads it.
 */
export async function changeCertificates(
  certificates: Certificates | undefined,
  change: CertificateChange,
  needs: CertificateNeeds,
  now: Instant,
): Promise<Certificates> {
  const trusted = certificates === undefined ? [] : authoritiesOf(certificates);
  const kept = (pems: readonly string[]): readonly string[] =>
    pems.filter((pem) => now < lifeOf(pem).end).slice(0, mostRetired);
  if (certificates === undefined || change === 'start-anew') {
    const authority = await newAuthority(needs, now);
    const serving = await issueServing(authority, needs, [], now);
    return { authority, next: undefined, retired: kept(trusted), serving };
  }
  const { authority, next, retired, serving } = certificates;
  const hosts = hostsOf(serving.certificatePem);
  switch (change) {
    case 'add-authority':
      return { ...certificates, next: await newAuthority(needs, now) };
    case 'promote-authority': {
      if (next === undefined) return certificates;
      return {
        authority: next,
        next: undefined,
        retired: [authority.certificatePem, ...retired],
        serving: await issueServing(next, needs, hosts, now),
      };
    }
    case 'issue-serving':
      return { ...certificates, serving: await issueServing(authority, needs, hosts, now) };
    case 'drop-expired':
      return { ...certificates, retired: kept(retired) };
  }
}

function whyReissue(certificates: Certificates, needs: CertificateNeeds, now: Instant): string | undefined {
  const { certificatePem, keyPem } = certificates.serving;
  const life = lifeOf(certificatePem);
  if (!isValid(life, now)) return 'the serving certificate is not valid now';
  if (now >= life.renewAt) return 'the serving certificate has lived two thirds of its life';
  const hosts = hostsOf(certificatePem);
  const missing = needs.hosts.filter((host) => !hosts.includes(canonicalHost(host)));
  if (missing.length > 0) return `the serving certificate does not name ${missing.join(', ')}`;
  const leaf = new X509Certificate(certificatePem);
  if (!leaf.checkPrivateKey(createPrivateKey(keyPem))) return 'the serving certificate has another key';
  const signed = authoritiesOf(certificates).some((pem) => {
    const issuer = new X509Certificate(pem);
    return leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey);
  });
  return signed ? undefined : 'no trusted authority has signed the serving certificate';
}

interface Life {
  readonly begin: Instant;
  /** When it was made: it is valid from somewhat earlier. */
  readonly made: Instant;
  readonly renewAt: Instant;
  readonly end: Instant;
}

function lifeOf(pem: string): Life {
  const certificate = new X509Certificate(pem);
  const begin = Date.parse(certificate.validFrom);
  const end = Date.parse(certificate.validTo);
  const made = Math.min(begin + backdatedMs, end);
  return { begin, made, end, renewAt: made + ((end - made) * 2) / 3 };
}

/** An authority that is found shortly before its end has no time for the whole overlap: the new one is trusted for half of what is left. */
function promotionOf(successor: Life, signer: Life, overlapMs: number): Instant {
  return successor.made + Math.min(overlapMs, (signer.end - successor.made) / 2);
}

function isValid({ begin, end }: Life, now: Instant): boolean {
  return begin <= now && now < end;
}

function authoritiesOf({ authority, next, retired }: Certificates): readonly string[] {
  return [...(next === undefined ? [] : [next.certificatePem]), authority.certificatePem, ...retired];
}

/**
 * Somebody may have put another one into its place: one with a key of another kind cannot sign here, and where the name has further parts, or is
 * encoded otherwise, clients find no authority for what it signed. It stays trusted.
 */
function isOurs({ certificatePem, keyPem }: KeyAndCertificate, { name }: CertificateNeeds): boolean {
  const { ca, subject } = new X509Certificate(certificatePem);
  const { namedCurve } = createPrivateKey(keyPem).asymmetricKeyDetails ?? {};
  return ca && namedCurve === 'prime256v1' && /^CN=(.*)@\d+$/s.exec(subject)?.[1] === name;
}

/** Names carry the time: clients that look an issuer up by its name find the right one of two. */
async function newAuthority(needs: CertificateNeeds, now: Instant): Promise<KeyAndCertificate> {
  const { createCertificateAuthority } = await import('./certificate.ts');
  const validity = { now, lifetimeMs: needs.authorityLifetimeMs };
  const { certificatePem, keyPem } = await createCertificateAuthority(`${needs.name}@${now}`, validity);
  return { certificatePem, keyPem };
}

/** Names of an earlier certificate stay: another replica, of another release, may need them. */
async function issueServing(
  authority: KeyAndCertificate,
  needs: CertificateNeeds,
  earlierHosts: readonly string[],
  now: Instant,
): Promise<KeyAndCertificate> {
  const hosts = [...new Set([...earlierHosts, ...needs.hosts.map(canonicalHost)])].sort();
  const { issueCertificate, loadCertificateAuthority } = await import('./certificate.ts');
  const left = lifeOf(authority.certificatePem).end - now;
  return issueCertificate(
    await loadCertificateAuthority(authority),
    { commonName: needs.name, hosts, usage: 'server' },
    { now, lifetimeMs: Math.min(needs.servingLifetimeMs, left) },
  );
}

function hostsOf(pem: string): readonly string[] {
  const names = new X509Certificate(pem).subjectAltName?.split(', ') ?? [];
  return names.map((name) => canonicalHost(name.replace(/^(DNS|IP Address):/, '')));
}
