import {
  annotations as nodeAnnotations,
  conditionTypes,
  labels,
  nodeNotes,
  nodePools,
  type NodePool,
} from '@atoll/api';
import { conditionOf, instantOf, nodes } from '@atoll/kube';
import type { EventSubject, Instant, Node, Stored } from '@atoll/kube';
import { definitionSeen } from '../children/lost-with-definition.ts';
import { conditionSince, degradedDue, nameAFew } from '../engine/status/conditions.ts';
import { earliest } from '../engine/earliest.ts';
import { cachesNotSynced, hold, type Hold } from '../engine/hold.ts';
import { patchAsSeen } from '../engine/steps/patch-as-seen.ts';
import { seenAs } from '../engine/steps/seen.ts';
import { nothingToDo, type Plan, type Stage } from '../engine/plan.ts';
import type { Reason, Step } from '../engine/step.ts';
import type { NodePoolDecision } from './decide.ts';
import { leaversKey } from './nodes/node-key.ts';
import { membershipOf } from './membership.ts';
import type { NodePoolSnapshot } from './observe.ts';
import type { NodeChange } from './nodes/reconcile-node.ts';
import { typeLabelStep } from './nodes/type-labels.ts';

/** How soon a pool is reconciled again that lists nodes without a pool: later and later, because one may refuse its note for ever. */
const untilNotedMs = { least: 5_000, most: 60_000 };

/**
 * One patch for each node that is not as the pool wants it, membership, attributes and their record together, so that
 * no crash can part them. Nodes are independent: one that refuses stops no other.
 */
export function plan(
  snapshot: NodePoolSnapshot,
  { outdated, tooLong, lost, withoutTaints, otherLabels }: NodePoolDecision,
  now: Instant,
): Plan {
  const { pool } = snapshot;
  if (!snapshot.certain) {
    return pool === undefined ? nothingToDo : { ...nothingToDo, holds: [cachesNotSynced] };
  }
  const steps: Step[] = [];
  for (const { node, change } of outdated) {
    const step = patchNode(node, change, reasonFor(snapshot, node, change));
    steps.push(pool === undefined ? { ...step, ...withoutPool(snapshot, node) } : step);
    steps.push(...ignoredRequest(node));
  }
  const label = pool === undefined ? undefined : typeLabelStep(pool);
  const stages: readonly Stage[] = [
    { name: 'label the pool', steps: label === undefined ? [] : [label] },
    { name: 'write node attributes', steps },
  ];
  const failingSince = conditionSince(pool?.status?.conditions, 'Ready', 'False');
  const degraded = failingSince === undefined ? undefined : degradedDue(failingSince, now);
  const again = pool !== undefined && snapshot.unnotedLeavers.length > 0 ? untilNoted(pool, now) : undefined;
  const due = earliest([degraded, again]);
  return {
    stages: stages.filter((stage) => stage.steps.length > 0),
    holds:
      pool === undefined
        ? [...poolNotFound(snapshot, lost), ...leftLabelsKept(otherLabels)]
        : [
            ...tooLong,
            ...poolTerminating(snapshot),
            ...taintsKept(withoutTaints),
            ...labelsKept(otherLabels),
          ],
    targets: [],
    ...(due === undefined ? {} : { requeueAt: due }),
  };
}

/**
 * People cannot look at a pool that does not exist. It may have been made again since the plan was confirmed: without its labels the pods of a DaemonSet
 * that selects them would end. So it is read live for each of its nodes.
 */
function withoutPool(
  { name, definitionOfPools }: NodePoolSnapshot,
  node: Stored<Node>,
): Pick<Step, 'regarding' | 'restsOn'> {
  const regarding = subjectOf(node);
  return name === leaversKey
    ? { regarding }
    : { regarding, restsOn: [seenAs(nodePools, { name }, undefined), ...definitionSeen(definitionOfPools)] };
}

function untilNoted(pool: Stored<NodePool>, now: Instant): Instant {
  const ready = conditionOf(pool, conditionTypes.ready);
  const waited = now - (instantOf(ready?.lastTransitionTime) ?? now);
  return now + Math.min(Math.max(waited, untilNotedMs.least), untilNotedMs.most);
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
    ...patchAsSeen(nodes, node, { type: 'merge', body }),
    target: node.metadata.name,
    ifRefused: 'NodeRefused',
    why,
  };
}

function reasonFor(snapshot: NodePoolSnapshot, node: Stored<Node>, change: NodeChange): Reason {
  const { name } = node.metadata;
  const { current, request } = membershipOf(node);
  if (request?.does === 'leave' || (request?.does === 'join' && request.pool === snapshot.name)) {
    const from = current === undefined ? '' : ` from ${current}`;
    const where = request.does === 'leave' ? 'no pool' : `the pool ${request.pool}`;
    return { word: 'MembershipFollowed', message: `node ${name} asks to go${from} to ${where}` };
  }
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

function namesOf({ labels: changed, annotations, taints }: NodeChange): string {
  const keys = Object.keys({ ...changed, ...annotations }).filter((key) => !nodeNotes.includes(key));
  const named = [...keys.sort(), ...(taints === undefined ? [] : ['taints'])];
  return named.length === 0 ? 'its record' : nameAFew(named);
}

function taintsKept(nodesWithout: readonly Stored<Node>[]): readonly Hold[] {
  const names = nodesWithout.map(({ metadata }) => metadata.name);
  if (names.length === 0) return [];
  const problem =
    `NoExecute taints stay as the old operator left them, because the pool's would evict pods. Remove the annotation ` +
    `${nodeAnnotations.keptTaints} from the node to set them, or change the taints of the pool`;
  return [hold('TaintsKept', 'person', names.sort(), { problem }, false)];
}

function labelsKept(others: readonly Stored<Node>[]): readonly Hold[] {
  const names = others.map(({ metadata }) => metadata.name);
  if (names.length === 0) return [];
  const problem =
    `labels stay as the old operator left them, because pods may select nodes by them. Remove the annotation ` +
    `${nodeAnnotations.keptLabels} from the node to set those of the pool, or change the labels of the pool`;
  return [hold('LabelsKept', 'person', names.sort(), { problem }, false)];
}

/** The events are on the nodes, because they are in no pool. */
function leftLabelsKept(leavers: readonly Stored<Node>[]): readonly Hold[] {
  if (leavers.length === 0) return [];
  const problem =
    `labels of the pool that the node left stay, as the old operator left them, because pods may select nodes by them. ` +
    `Remove the annotation ${nodeAnnotations.keptLabels} from the node to remove what the pool put there`;
  const names = leavers.map(({ metadata }) => metadata.name).sort();
  return [{ ...hold('LabelsKept', 'person', names, { problem }, false), regarding: leavers.map(subjectOf) }];
}

/** The events are on the nodes, because there is no pool. */
function poolNotFound(
  { name, nodes: named, asking }: NodePoolSnapshot,
  [lost]: NodePoolDecision['lost'],
): readonly Hold[] {
  if (name === leaversKey) return [];
  const members = named.filter((node) => membershipOf(node).request?.does !== 'leave');
  const held = [
    ...members.map((node) => ({ node, label: labels.nodePool })),
    ...asking.map((node) => ({ node, label: labels.desiredNodePool })),
  ];
  if (held.length === 0) return [];
  const all = [...new Set(held.map(({ label }) => label))].join(' or ');
  const why = lost === undefined ? '' : `: ${lost.why}. What it gave to its nodes stays`;
  const problem = `the NodePool ${name}, which the label ${all} names, does not exist${why}. Create it, or correct the label of the node`;
  const names = held.map(({ node }) => node.metadata.name).sort();
  const regarding = held.map(({ node }) => subjectOf(node));
  return [{ ...hold('PoolNotFound', 'person', names, { problem }, false), regarding }];
}

/** The events are on the nodes, which wait: the pool does what it was asked to. */
function poolTerminating({ name, asking }: NodePoolSnapshot): readonly Hold[] {
  if (asking.length === 0) return [];
  const problem = `the NodePool ${name}, which the label ${labels.desiredNodePool} names, is being deleted and gets no new node`;
  const names = asking.map((node) => node.metadata.name).sort();
  const held = hold('PoolTerminating', 'time', names, { problem, waitingUntil: 'it is gone' }, false);
  return [{ ...held, regarding: asking.map(subjectOf) }];
}

/** One event: the patch of this reconcile notes the request. */
function ignoredRequest(node: Stored<Node>): readonly Step[] {
  const { current, request } = membershipOf(node);
  if (request?.does !== 'note' || request.pool === current || current === undefined) return [];
  const { nodePool, desiredNodePool } = labels;
  const note =
    `stays in the pool ${current}, which the label ${nodePool} names; ${desiredNodePool}=${request.pool} ` +
    `was there beside it when it was first seen. Change ${nodePool} to move the node`;
  const why: Reason = { word: 'DesiredPoolIgnored', message: `node ${node.metadata.name} ${note}` };
  const event = {
    type: 'Warning',
    regarding: subjectOf(node),
    reason: why.word,
    action: 'Wait',
    note,
  } as const;
  return [{ do: 'event', event, why }];
}

function subjectOf({ metadata: { name, uid } }: Stored<Node>): EventSubject {
  return { apiVersion: 'v1', kind: 'Node', name, uid };
}
