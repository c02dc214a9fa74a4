import { labels } from '@atoll/api';
import { canonicalJson, compareTexts, normalised, stableHash } from '@atoll/kube';
import type { ControllerRevision, KubeObject, Reader, Stored } from '@atoll/kube';
import { sameJson } from '../../engine/same-meaning.ts';
import type { ChildTemplate, RevisionData } from '../child-template.ts';
import type { PodTemplate } from '../child.ts';
import { revisionLabel, revisionName } from '../names.ts';
import { hashedPodMeaning, podMeaning } from '../pods/pod-meaning.ts';
import { leanClaimOfPods } from '../pods/unhashed-defaults.ts';

/** One entry of an owner's history that can be rendered. */
export interface Revision<Kind extends string = string> {
  readonly name: string;
  /** The name as children carry it in a label. */
  readonly label: string;
  readonly number: number;
  readonly template: ChildTemplate<Kind>;
  /** undefined: not written yet. */
  readonly stored: Stored<ControllerRevision> | undefined;
}

/** An object that records its templates as revisions. */
interface RevisedOwner extends KubeObject {
  readonly status?: { readonly collisionCount?: number | undefined };
}

/** The revision of the template that the spec gives, and what has to be written so that the history records it. */
export interface RevisionDecision<Kind extends string = string> {
  readonly update: Revision<Kind>;
  /** `create`: it is new. `renumber`: the spec went back to an older one. */
  readonly write: 'none' | 'create' | 'renumber';
  readonly collisionCount: number;
  /** The old operator made it, and it has what its webhook filled in; the spec has lost that, and nothing else. */
  readonly keepsOldDefaults?: true;
}

/** Oldest first, by their numbers; revisions that are not of the owner's kind are left out. */
export function readHistory<Kind extends string>(
  owned: readonly Stored<ControllerRevision>[],
  data: RevisionData<Kind>,
): readonly Revision<Kind>[] {
  const history: Revision<Kind>[] = [];
  for (const stored of owned) {
    const template = data.read(stored.data);
    if (template === undefined || stored.metadata.deletionTimestamp !== undefined) continue;
    const { name } = stored.metadata;
    history.push({ name, label: revisionLabel(name), number: stored.revision ?? 0, template, stored });
  }
  return history.sort(byAge);
}

/**
 * Finds the template in the history by its meaning, no matter who wrote it and how; the newest of several wins. Where it
 * is new, its name is a function of owner and content, so that a repeated create meets itself. A name that holds
 * something else moves on to the next count of collisions.
 *
 * `asStored`: the template as the webhook of the old operator would have stored it. A manifest that is applied again once that is gone replaces
 * the list of containers as a whole, without what the webhook filled in: nobody has asked for other pods. So the revision that the old operator
 * made for it stays, where it is the newest and we have made none yet.
 */
export function decideRevision<Kind extends string>(
  { metadata, status }: RevisedOwner,
  template: ChildTemplate<Kind>,
  history: readonly Revision<Kind>[],
  reader: Pick<Reader<ControllerRevision>, 'get'>,
  asStored?: ChildTemplate<Kind>,
): RevisionDecision<Kind> {
  const { namespace = '', name: ownerName } = metadata;
  const { collisionCount = 0 } = status ?? {};
  const newest = history.at(-1);
  const known = history.findLast((revision) => sameTemplate(revision.template, template));
  const number = (newest?.number ?? 0) + 1;
  if (newest !== undefined && newest !== known && keepsOldDefaults(newest, history, asStored)) {
    const counted = Math.max(collisionCount, collisionsOf(ownerName, newest));
    return { update: newest, write: 'none', collisionCount: counted, keepsOldDefaults: true };
  }
  if (known !== undefined) {
    // Before it was written it was the one that is given; so what was cached for that object stays valid.
    const update = sameJson(known.template, template) ? { ...known, template } : known;
    const counted = Math.max(collisionCount, collisionsOf(ownerName, update));
    if (known === newest) return { update, write: 'none', collisionCount: counted };
    return { update: { ...update, number }, write: 'renumber', collisionCount: counted };
  }
  let collisions = collisionCount;
  let name = nameFor(ownerName, template, collisions);
  while (reader.get({ namespace, name }) !== undefined) {
    collisions += 1;
    name = nameFor(ownerName, template, collisions);
  }
  return { update: unstored(name, number, template), write: 'create', collisionCount: collisions };
}

function keepsOldDefaults(
  newest: Revision,
  history: readonly Revision[],
  asStored: ChildTemplate | undefined,
): boolean {
  if (asStored === undefined || !history.every(isOldOperators)) return false;
  return sameTemplate(newest.template, asStored);
}

/** The revision of a template that is only tried: as the history would name it, and nothing is recorded. */
export function triedRevision<Kind extends string>(
  ownerName: string,
  template: ChildTemplate<Kind>,
): Revision<Kind> {
  return unstored(revisionName(ownerName, stableHash(template)), 0, template);
}

function unstored<Kind extends string>(
  name: string,
  number: number,
  template: ChildTemplate<Kind>,
): Revision<Kind> {
  return { name, label: revisionLabel(name), number, template, stored: undefined };
}

/**
 * Whether an old operator knew the template that is to run: the revision is its own; where no history of it is left at all
 * nothing speaks against it, and no pod is restarted for a doubt. Whether the template was put back to this revision before
 * the old operator was stopped or after it cannot be known from a history in which that is noted already.
 */
export function isKnownToOldOperator({ update }: RevisionDecision, history: readonly Revision[]): boolean {
  return !history.some(isOldOperators) || isOldOperators(update);
}

function isOldOperators({ stored }: Revision): boolean {
  return stored !== undefined && stored.metadata.labels?.[labels.workload] === undefined;
}

/**
 * What the history may lose: the oldest beyond the limit, never the one that is wanted, current, or that some child
 * or its pods still carry. These count towards the limit, as with OpenKruise and OpenYurt.
 */
export function expendable(
  history: readonly Revision[],
  limit: number,
  needed: ReadonlySet<string>,
): readonly Revision[] {
  const stored = history.filter((each) => each.stored !== undefined);
  const free = stored.filter((each) => !needed.has(each.label));
  return free.slice(0, Math.max(0, stored.length - Math.max(0, limit)));
}

export function hashOf(revision: Revision): string {
  return revision.name.slice(revision.name.lastIndexOf('-') + 1);
}

/** How many names were taken before this one. An old operator's name does not show it. */
function collisionsOf(ownerName: string, revision: Revision): number {
  for (let collisions = 0; collisions < 4; collisions += 1) {
    if (nameFor(ownerName, revision.template, collisions) === revision.name) return collisions;
  }
  return 0;
}

function nameFor(ownerName: string, template: ChildTemplate, collisions: number): string {
  const meaning = meaningOf(template, hashedPodMeaning);
  return revisionName(ownerName, stableHash(collisions > 0 ? [meaning, collisions] : meaning));
}

/** Whether to write the one for the other replaces no pod, and changes nothing else. */
export function sameTemplate(a: ChildTemplate, b: ChildTemplate): boolean {
  if (a === b || sameJson(a, b)) return true;
  if (a.kind !== b.kind) return false;
  return meaningOf(withLeanClaims(a), podMeaning) === meaningOf(withLeanClaims(b), podMeaning);
}

function meaningOf(template: ChildTemplate, ofPods: (pods: PodTemplate) => unknown): string {
  const pods = (template.spec['template'] ?? {}) as PodTemplate;
  const spec = { ...template.spec, template: ofPods(pods) };
  return canonicalJson(normalised({ ...template, spec }));
}

function withLeanClaims(template: ChildTemplate): ChildTemplate {
  const { volumeClaimTemplates: claims } = template.spec;
  if (!Array.isArray(claims)) return template;
  return { ...template, spec: { ...template.spec, volumeClaimTemplates: claims.map(leanClaimOfPods) } };
}

function byAge(a: Revision, b: Revision): number {
  if (a.number !== b.number) return a.number - b.number;
  const created = ({ stored }: Revision): string => stored?.metadata.creationTimestamp ?? '';
  return compareTexts(created(a), created(b)) || compareTexts(a.name, b.name);
}
