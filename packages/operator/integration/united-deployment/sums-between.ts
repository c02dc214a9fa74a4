import { conditionTypes, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerOf, groupResourceOf, type Stored } from '@atoll/kube';
import type { Check, RecordedEvent } from '@atoll/testbed';
import type { Child } from './objects.ts';
import { byType } from './standing.ts';

const rule = 'sums stay between what was asked for';

/**
 * For each UnitedDeployment and at every moment, what its live children are asked for adds up to no more and no less
 * than the totals that were asked for since it was last Ready. So a scale never overshoots in either direction, an
 * update changes no sum, and once it is Ready for a total that is met until another is asked for. A sum alone does not
 * end a scale: one that was interrupted may have left the total that is asked for next, spread otherwise than decided.
 * For children that nobody deletes.
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
        const { metadata, spec, status } = event.object as Stored<UnitedDeployment>;
        const ready = byType(status?.conditions)[conditionTypes.ready]?.status === 'True';
        const seen = status?.observedGeneration === metadata.generation;
        sumOf(event.uid).ask(spec.replicas ?? 1, ready && seen);
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
  readonly #children = new Map<string, number>();

  /** `met`: it is Ready with this total, so that nothing else is allowed from now on. */
  ask(total: number, met: boolean): void {
    this.#low = met ? total : Math.min(this.#low, total);
    this.#high = met ? total : Math.max(this.#high, total);
  }

  put({ uid, type, object }: RecordedEvent): void {
    const going = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
    if (going) this.#children.delete(uid);
    else this.#children.set(uid, (object as Stored<Child>).spec.replicas ?? 1);
  }

  problem(): string | undefined {
    const sum = [...this.#children.values()].reduce((all, each) => all + each, 0);
    if (sum >= this.#low && sum <= this.#high) return undefined;
    return `${sum} replicas where ${this.#low} to ${this.#high} were asked for`;
  }
}
