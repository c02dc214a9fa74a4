/** A subset whose child can be written, as far as the order of a scale goes. */
export interface Scaling {
  readonly name: string;
  /** `spec.replicas` of its child; 0 where there is none. */
  readonly present: number;
  /** What it was given. Another number than `present` where somebody else scaled its child. */
  readonly own: number;
  readonly wanted: number;
  /** False: its child cannot be written by this plan, but by a later one. */
  readonly now: boolean;
  /** Its child is to be made. */
  readonly isNew: boolean;
}

/** What one plan writes of a subset. */
export interface ScaleStep {
  readonly replicas: number;
  /** After those that are not: the sum would leave what lies between the old total and the new one. */
  readonly later: boolean;
}

/**
 * The numbers that a plan writes so that a scale never overshoots: the sum of what the children are asked for stays
 * between what it is and what it is to be. While the total grows, what grows comes first and takes no more than the
 * difference; what shrinks follows and gives back no more than that; the next plan goes on. While the total shrinks it is
 * the other way round. Where the total stays, what shrinks comes first: a quota may have no room for more.
 *
 * What somebody else scaled beyond what it was given and is to have comes back into that range in one step, because what is written on the way
 * counts as given to it afterwards: for this the sum may leave what lies between. Where one was scaled out, that comes before others grow, and not where
 * those that are there may not grow as much now.
 *
 * Nothing shrinks for a child that is not there, or cannot be written: it may be refused for good, and pods that serve would be
 * lost for it. Where something would, a new child begins with 0 replicas, and the next plan moves them.
 *
 * Most scales move nothing between subsets, and are one plan with one stage.
 */
export function scaleOrder(subsets: readonly Scaling[]): Readonly<Record<string, ScaleStep>> {
  const change = growthOf(subsets);
  const writable = subsets.filter(({ now }) => now);
  const shrink = writable.filter(({ present, wanted }) => wanted < present);
  const beginsEmpty = shrink.length > 0 && change >= 0;
  const grow = writable
    .filter(({ present, wanted, isNew }) => wanted > present && !(isNew && beginsEmpty))
    // New ones last: one that is refused must take no room from the others.
    .toSorted((a, b) => Number(a.isNew) - Number(b.isNew));
  const tooMany = shrink.reduce((sum, each) => sum + strayOf(each), 0);
  const setsBack = tooMany > 0 && tooMany <= growthOf(grow.filter(({ isNew }) => !isNew)) - change;
  const leastOf = (each: Scaling): number => (setsBack || each.wanted > each.present ? strayOf(each) : 0);
  const growsFirst = change > 0 && !setsBack;
  const [first, second] = growsFirst ? [grow, shrink] : [shrink, grow];
  const beforehand = growsFirst ? change : change === 0 ? growthOf(grow) : Math.max(0, -change);
  const atFirst = take(first, beforehand, leastOf);
  const afterwards = take(second, amountOf(first, atFirst) + (growsFirst ? 0 : Math.max(0, change)), leastOf);
  return Object.fromEntries([
    ...subsets.map(({ name, present }) => [name, { replicas: present, later: false }] as const),
    ...first.map(({ name }, index) => [name, { replicas: atFirst[index] ?? 0, later: false }] as const),
    ...second.map(({ name }, index) => [name, { replicas: afterwards[index] ?? 0, later: true }] as const),
  ]);
}

/** By how much an order changes the number of a subset. */
export function changeOf(order: Readonly<Record<string, ScaleStep>>, { name, present }: Scaling): number {
  return (order[name]?.replicas ?? present) - present;
}

/** By how much the sum changes until each subset has what it is to have. */
export function growthOf(subsets: readonly Scaling[]): number {
  return subsets.reduce((sum, { present, wanted }) => sum + wanted - present, 0);
}

/** How far each comes towards what is wanted, if all of them together may move by so many replicas, or by more where each moves by its least. */
function take(
  subsets: readonly Scaling[],
  most: number,
  leastOf: (each: Scaling) => number,
): readonly number[] {
  let left = Math.max(0, most - subsets.reduce((sum, each) => sum + leastOf(each), 0));
  return subsets.map((each) => {
    const { present, wanted } = each;
    const least = leastOf(each);
    const more = Math.min(Math.abs(wanted - present) - least, left);
    left -= more;
    return present + Math.sign(wanted - present) * (least + more);
  });
}

/** How far somebody else scaled it beyond what it was given and is to have. */
function strayOf({ present, own, wanted }: Scaling): number {
  return Math.max(0, Math.min(own, wanted) - present, present - Math.max(own, wanted));
}

function amountOf(subsets: readonly Scaling[], reached: readonly number[]): number {
  return subsets.reduce(
    (sum, { present }, index) => sum + Math.abs((reached[index] ?? present) - present),
    0,
  );
}
