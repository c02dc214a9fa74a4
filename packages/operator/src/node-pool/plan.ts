import { annotations as known } from '@atoll/api';
import { nodes } from '@atoll/kube';
import type { Instant, Node, Stored } from '@atoll/kube';
import { conditionSince, degradedDue, nameAFew } from '../engine/conditions.ts';
import type { Hold } from '../engine/hold.ts';
import { nothingToDo, type Plan } from '../engine/plan.ts';
import type { Reason, Step } from '../engine/step.ts';
import { attributesOf, noAttributes } from './attributes.ts';
import { leaversKey } from './node-key.ts';
import type { NodePoolSnapshot } from './observe.ts';
import { changeOf, type NodeChange } from './reconcile-node.ts';

const { previousAttributes } = known;

/**
 * One patch for each node that is not as the pool wants it, attributes and their record together, so that no crash
 * can part them. Nodes are independent: one that refuses stops no other.
 */
export function plan(snapshot: NodePoolSnapshot, now: Instant): Plan {
  if (!snapshot.certain) return { ...nothingToDo, holds: [notYetObserved(snapshot)] };
  const { pool } = snapshot;
  const wanted = pool === undefined ? noAttributes : attributesOf(pool);
  const steps: Step[] = [];
  for (const node of snapshot.nodes) {
    const change = changeOf(node, wanted);
    if (change !== undefined) steps.push(patchNode(node, change, reasonFor(snapshot, node, change)));
  }
  const failingSince = conditionSince(pool?.status?.conditions, 'Ready', 'False');
  const due = failingSince === undefined ? undefined : degradedDue(failingSince, now);
  return {
    stages: steps.length === 0 ? [] : [{ name: 'write node attributes', steps, runs: 'always' }],
    holds: [],
    targets: [],
    ...(due === undefined ? {} : { lookAgainAt: due }),
  };
}

/**
 * The resourceVersion is part of every patch: taints are one list, and a key may go only while it still has the value
 * that justified it.
 */
function patchNode(node: Stored<Node>, change: NodeChange, why: Reason): Step {
  const metadata: Record<string, unknown> = {};
  if (Object.keys(change.labels).length > 0) metadata['labels'] = change.labels;
  if (Object.keys(change.annotations).length > 0) metadata['annotations'] = change.annotations;
  const body = {
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(change.taints === undefined ? {} : { spec: { taints: change.taints } }),
  };
  return {
    do: 'patch',
    resource: nodes,
    key: { name: node.metadata.name },
    uid: node.metadata.uid,
    resourceVersion: node.metadata.resourceVersion,
    patch: { type: 'merge', body },
    target: node.metadata.name,
    why,
  };
}

function reasonFor(snapshot: NodePoolSnapshot, node: Stored<Node>, change: NodeChange): Reason {
  const { name } = node.metadata;
  if (snapshot.name === leaversKey) {
    return {
      word: 'NodeLeft',
      message: `node ${name} is in no pool and still carries what its last pool put there`,
    };
  }
  if (snapshot.pool === undefined) {
    return {
      word: 'NodeLeft',
      message: `node ${name} names the pool ${snapshot.name}, which does not exist`,
    };
  }
  return {
    word: 'AttributesOutdated',
    message: `node ${name} differs from its pool ${snapshot.name} in ${namesOf(change)}`,
  };
}

function namesOf({ labels, annotations, taints }: NodeChange): string {
  const keys = Object.keys({ ...labels, ...annotations }).filter((key) => key !== previousAttributes);
  const named = [...keys.sort(), ...(taints === undefined ? [] : ['taints'])];
  return named.length === 0 ? 'its record' : nameAFew(named);
}

function notYetObserved(snapshot: NodePoolSnapshot): Hold {
  return {
    reason: 'NotYetObserved',
    waitsFor: 'time',
    targets: [],
    count: snapshot.nodes.length,
    freedBy: 'all pools and nodes have been read',
    bad: false,
  };
}
