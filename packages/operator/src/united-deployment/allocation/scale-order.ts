/** A subset whose child can be written, as far as the order of a scale goes. */
export interface Scaling {
  readonly name: string;
  /** `spec.replicas` of its child; 0 where there is none. */
  readonly present: number;
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
  const [first, second] = change > 0 ? [grow, shrink] : [shrink, grow];
  const atFirst = take(first, change === 0 ? growthOf(grow) : Math.abs(change));
  const afterwards = take(second, amountOf(first, atFirst));
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

/** How far each comes towards what is wanted, if all of them together may move by so many replicas. */
function take(subsets: readonly Scaling[], most: number): readonly number[] {
  let left = most;
  return subsets.map(({ present, wanted }) => {
    const moved = Math.min(Math.abs(wanted - present), left);
    left -= moved;
    return present + Math.sign(wanted - present) * moved;
  });
}

function amountOf(subsets: readonly Scaling[], reached: readonly number[]): number {
  return subsets.reduce(
    (sum, { present }, index) => sum + Math.abs((reached[index] ?? present) - present),
    0,
  );
}
