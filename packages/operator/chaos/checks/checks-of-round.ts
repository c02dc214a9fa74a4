import { agentUser, labels } from '@atoll/api';
import { atMostOneLiveChild, deletesCarryUid, touchesOnlyOwn, type Check } from '@atoll/testbed';
import { operatorUser } from '../../integration/set-up/operator-control-plane.ts';
import { canaryReplicas, daemonOf, maxUnavailableOf } from '../subjects/daemons.ts';
import { deletesPodsOf, onePodOnANode, ownOutages } from './own-outages.ts';

/** What the history of every round is checked for. `ownerUids`: of the objects whose children the operator may change. */
export function checksOfRound(ownerUids: ReadonlySet<string>, nodesOfDaemons: number): readonly Check[] {
  const user = operatorUser;
  const children = ['deployments.apps', 'statefulsets.apps'];
  const others = ['controllerrevisions.apps', 'extendeddaemonsetreplicasets.datadoghq.com'];
  // Those belong to the owners of the nodes.
  const isIts = (daemon: string): boolean => daemon !== '' && !daemon.startsWith('ota');
  return [
    atMostOneLiveChild({
      resources: children,
      place: ({ metadata }) => metadata.labels?.[labels.poolName] ?? metadata.labels?.[labels.subsetName],
    }),
    touchesOnlyOwn({ user, resources: [...children, ...others], ownerUids }),
    deletesCarryUid({ user }),
    deletesCarryUid({ user: agentUser }),
    onePodOnANode({ daemonOf }),
    deletesPodsOf({ user, daemonOf, isIts }),
    ownOutages({
      user,
      daemonOf,
      budgetOf: (daemon) =>
        isIts(daemon)
          ? maxUnavailableOf(nodesOfDaemons) + (daemon.startsWith('eds') ? canaryReplicas : 0)
          : 0,
    }),
  ];
}
