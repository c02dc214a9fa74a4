import { daemonSets } from '@atoll/kube';
import { noFindings, type Findings } from '../causes/findings.ts';
import { keysForChild } from '../children/keys-for-child.ts';
import { podsInterval } from '../engine/rollout/pods-interval.ts';
import { ownSource, source, type Controller } from '../engine/controller.ts';
import { decide, type DaemonSetDecision } from './decide.ts';
import { eventsOf } from './events.ts';
import { keysForDaemonPod, keysForManager, keysForNode, urgencyOfStatus } from './keys-for-event.ts';
import { observe, type DaemonSetReaders, type DaemonSetSnapshot } from './observe.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';

/**
 * Upgrades DaemonSets with the update strategy OnDelete: deletes outdated pods within a budget (AdvancedRollingUpdate), or records on
 * each pod whether it is outdated, so that the owner of its node decides (OTA).
 */
export function createDaemonSetUpgradeController(
  readers: DaemonSetReaders,
  findings: Findings = noFindings,
): Controller<DaemonSetSnapshot, DaemonSetDecision> {
  const { daemonSets: owners } = readers;
  return {
    name: 'daemon-set-upgrade',
    resource: daemonSets,
    foreign: true,
    sources: [
      { ...ownSource(owners, urgencyOfStatus), othersWriteStatus: true },
      source(readers.daemonSetPods, (event) => keysForDaemonPod(owners, event), 'deferred'),
      source(readers.nodes, (event) => keysForNode(owners, event)),
      source(readers.controllerRevisions, (event) => keysForChild(daemonSets, owners, event)),
      source(readers.deployments, (event) => keysForManager(owners, event)),
    ],
    minimumInterval: podsInterval,
    observe: (key, refused) => observe(readers, key, findings, refused),
    decide,
    plan,
    events: eventsOf,
    report,
  };
}
