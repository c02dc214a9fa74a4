import { annotations } from '@atoll/api';
import type { KubeObject, Stored } from '@atoll/kube';
import { answerTo } from '../engine/executor/answers/remember-answer.ts';
import { sameJson } from '../engine/same-meaning.ts';
import type { ChildWorkload, RenderedChild } from './child.ts';
import { sameNotes } from './changes-child.ts';
import { differs } from './pods/keep-pods.ts';

/** How a child has to be written. */
export interface Difference {
  readonly object: RenderedChild;
  readonly kind: 'outdated' | 'drifted';
}

/**
 * All that the rendering of a child depends on besides its template and the child that is there, under the same names
 * each time.
 */
export type Asked = Readonly<Record<string, unknown>>;

/** What is known of a child, for what had been asked. */
interface Known {
  readonly asked: Asked;
  /** As it was found to be as it should be. */
  readonly live?: Stored<ChildWorkload>;
  /** As it was rendered last, to be written. */
  readonly rendered?: RenderedChild;
}

/**
 * So many children of a template are known: a template may stay for years while pools come and go. Where there is one more, all are
 * forgotten, and rendered once again. An order of who was asked for last would be kept with every look at a child, and cost more than the look.
 */
const mostKnown = 4_096;

/**
 * By name, for each template. Most changes of a child are of its status, which decides nothing here: comparing what does is
 * thirty times cheaper than rendering it anew. And what was written comes back as it was rendered.
 */
const knownChildren = new WeakMap<object, Map<string, Known>>();

/** Renders a child that is to be made; `asked` is what will be asked of it when it is there. */
export function newChild(
  template: object,
  finish: () => RenderedChild,
  askedOf: (rendered: RenderedChild) => Asked,
): RenderedChild {
  const rendered = finish();
  remember(template, rendered, { asked: askedOf(rendered), rendered });
  return rendered;
}

/** What is to be written so that the child is what is asked for; undefined: nothing. */
export function compareChild(
  template: object,
  asked: Asked,
  live: Stored<ChildWorkload>,
  finish: () => RenderedChild,
): Difference | undefined {
  const known = knownChildren.get(template)?.get(idOf(live));
  if (known !== undefined && asksTheSame(known.asked, asked) && isAsKnown(known, live)) {
    if (known.live !== live) remember(template, live, { live, asked });
    return undefined;
  }
  const object = finish();
  const kind = differs(object, live);
  remember(template, live, kind === undefined ? { asked, live } : { asked, rendered: object });
  return kind === undefined ? undefined : { object, kind };
}

function remember(template: object, child: ChildWorkload | RenderedChild, known: Known): void {
  const ofTemplate = knownChildren.get(template) ?? new Map<string, Known>();
  const id = idOf(child);
  if (ofTemplate.size >= mostKnown && !ofTemplate.has(id)) ofTemplate.clear();
  knownChildren.set(template, ofTemplate.set(id, known));
}

function idOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`;
}

function isAsKnown({ live: before, rendered }: Known, live: Stored<ChildWorkload>): boolean {
  if (before !== undefined) return holdsTheSame(before, live);
  if (rendered === undefined) return false;
  if (bearsItsStamps(rendered, live) && differs(rendered, live) === undefined) return true;
  // A webhook that rewrites a field of ours would do so again, and the child would be as it is.
  const answer = answerTo(rendered);
  return answer !== undefined && holdsTheSame(answer as Stored<ChildWorkload>, live);
}

/**
 * Whether the child would be rendered as it was: what that depends on in a live child is its selector and our
 * annotations (`keep-pods.ts`). One whose pods are an old operator's is always rendered anew.
 */
function bearsItsStamps(rendered: RenderedChild, live: Stored<ChildWorkload>): boolean {
  const { annotations: wanted = {} } = rendered.metadata;
  const { annotations: found = {} } = live.metadata;
  return (
    wanted[annotations.podRevision] !== undefined &&
    keptAsFound.every((mark) => wanted[mark] === undefined && found[mark] === undefined) &&
    Object.keys(wanted).every((key) => found[key] === wanted[key]) &&
    sameJson(live.spec?.selector, rendered.spec['selector'])
  );
}

const { oldRendering, keptPods, keptReplicas, keptOrdinals, keptNumber } = annotations;
const keptAsFound = [oldRendering, keptPods, keptReplicas, keptOrdinals, keptNumber];

function asksTheSame(a: Asked, b: Asked): boolean {
  return Object.keys(a).every((name) => sameJson(a[name], b[name]));
}

/** Everything of a child that is compared with what is wanted. */
function holdsTheSame(a: Stored<ChildWorkload>, b: Stored<ChildWorkload>): boolean {
  if (a === b) return true;
  const [left, right] = [a.metadata, b.metadata];
  return (
    left.uid === right.uid &&
    sameJson(left.labels, right.labels) &&
    sameNotes(a, b) &&
    sameJson(left.ownerReferences, right.ownerReferences) &&
    sameJson(a.spec, b.spec)
  );
}
