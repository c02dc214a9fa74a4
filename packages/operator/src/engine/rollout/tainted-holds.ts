import type { Taint } from '@atoll/kube';
import { hold, joinHolds, type Hold } from '../hold.ts';

/** A node on which a pod of another template runs and stays, because none can be made in its place. */
export interface TaintedNode {
  readonly node: string;
  /** As `kubectl describe node` shows it. */
  readonly taint: string;
}

/** One hold with the taint of the first. */
export function taintedHolds(nodes: readonly TaintedNode[]): readonly Hold[] {
  return joinHolds(
    nodes.map(({ node, taint }) => {
      const problem =
        `its pod of another template stays, because the template does not tolerate the taint ${taint}, so that none can be made in its ` +
        'place. Remove the taint, tolerate it in the template, or delete the pod';
      return hold('NodeTainted', 'person', [node], { problem }, false);
    }),
  );
}

/** As `kubectl describe node` shows it. */
export function describeTaint(taint: Taint | undefined): string {
  if (taint === undefined) return 'of the node';
  const { key, value = '', effect } = taint;
  return `${key}${value === '' ? '' : `=${value}`}:${effect}`;
}
