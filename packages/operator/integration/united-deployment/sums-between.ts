import { unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerOf, groupResourceOf, type Stored } from '@atoll/kube';
import type { Check, RecordedEvent } from '@atoll/testbed';
import type { Child } from './objects.ts';

const rule = 'sums stay between what was asked for';

/**
 * For each UnitedDeployment and at every moment, what its live children are asked for adds up to no more and no less
 * than the totals that were asked for since they last added up exactly. So a scale never overshoots in either
 * direction, an update changes no sum, and once a total is met it stays met. For children that nobody deletes.
 */
export function sumsBetween(childResources: readonly string[]): Check {
  const owners = groupResourceOf(unitedDeployments);
  return ({ events }) => {
    const sums = new Map<string, Sum>();
    const sumOf = (uid: string): Sum => {
      const known = sums.get(uid) ?? new Sum();
      sums.set(uid, known);
      return known;
    };
    return events.flatMap((event) => {
      if (event.resource === owners && event.type !== 'DELETED') {
        sumOf(event.uid).ask((event.object as Stored<UnitedDeployment>).spec.replicas ?? 1);
        return [];
      }
      const owner = controllerOf(event.object);
      if (!childResources.includes(event.resource) || owner === undefined) return [];
      const sum = sumOf(owner.uid);
      sum.put(event);
      const message = sum.problem();
      if (message === undefined) return [];
      const at = `${event.resource} ${event.name} at version ${event.version}`;
      return [{ rule, message: `${owner.name}: ${message}, ${at}` }];
    });
  };
}

class Sum {
  #low = 0;
  #high = 0;
  #total = 0;
  readonly #children = new Map<string, number>();

  ask(total: number): void {
    this.#total = total;
    this.#low = Math.min(this.#low, total);
    this.#high = Math.max(this.#high, total);
  }

  put({ uid, type, object }: RecordedEvent): void {
    const going = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
    if (going) this.#children.delete(uid);
    else this.#children.set(uid, (object as Stored<Child>).spec.replicas ?? 1);
  }

  /** What is wrong with the present sum; where it is the total, nothing else is allowed from now on. */
  problem(): string | undefined {
    const sum = [...this.#children.values()].reduce((all, each) => all + each, 0);
    const allowed = `${this.#low} to ${this.#high}`;
    if (sum < this.#low || sum > this.#high) return `${sum} replicas where ${allowed} were asked for`;
    if (sum === this.#total) [this.#low, this.#high] = [sum, sum];
    return undefined;
  }
}
