import { nodePools } from '@atoll/api';
import { source, type Controller } from '../engine/controller.ts';
import { decide, type NodePoolDecision } from './decide.ts';
import { changesMembers, keysForNode, keysForNodePool } from './keys-for-event.ts';
import { observe, type NodePoolReaders, type NodePoolSnapshot } from './observe.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';

/** Keeps a pool's labels, annotations and taints on its nodes, takes them off nodes that leave, and counts members. */
export function createNodePoolController(
  readers: NodePoolReaders,
): Controller<NodePoolSnapshot, NodePoolDecision> {
  return {
    name: 'node-pool',
    resource: nodePools,
    sources: [
      source(readers.nodePools, (event) => keysForNodePool(readers.nodes, event)),
      source(readers.nodes, keysForNode, 'deferred', changesMembers),
    ],
    observe: (key) => observe(readers, key),
    decide,
    plan,
    report,
  };
}
