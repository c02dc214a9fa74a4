import { extendedDaemonSets, type ValidationMode } from '@atoll/api';
import { noFindings, type Findings } from '../causes/findings.ts';
import { everyKey } from '../children/every-key.ts';
import { keysForChild } from '../children/keys-for-child.ts';
import { podsInterval } from '../engine/rollout/pods-interval.ts';
import { ownSource, source, type Controller } from '../engine/controller.ts';
import { decide, type ExtendedDaemonSetDecision } from './decide.ts';
import { eventsOf } from './events.ts';
import {
  keysForNode,
  keysForOldDaemonSet,
  keysForPod,
  keysForReplacedPod,
  keysForReplicaSet,
  keysForSameOldDaemonSet,
  keysForSetting,
  urgencyOfPod,
  urgencyOfStatus,
} from './keys-for-event.ts';
import { observe, type ExtendedDaemonSetReaders, type ExtendedDaemonSetSnapshot } from './observe.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';

/**
 * A pod on every node, a new template on a few of them first. Its replica sets are its history, one for each template. `validationMode`: how a
 * canary ends whose object does not state it.
 */
export function createExtendedDaemonSetController(
  readers: ExtendedDaemonSetReaders,
  validationMode: ValidationMode,
  findings: Findings = noFindings,
): Controller<ExtendedDaemonSetSnapshot, ExtendedDaemonSetDecision> {
  const { extendedDaemonSets: owners, extendedDaemonSetReplicaSets: replicaSets } = readers;
  return {
    name: 'extended-daemon-set',
    resource: extendedDaemonSets,
    sources: [
      ownSource(owners, urgencyOfStatus),
      source(owners, (event) => keysForSameOldDaemonSet(owners, event)),
      source(replicaSets, (event) => keysForReplicaSet(owners, event)),
      source(
        readers.extendedDaemonSetPods,
        (event) => keysForPod(owners, replicaSets, event),
        (event) => urgencyOfPod(owners, replicaSets, event),
        noRefusalEnds,
      ),
      source(readers.extendedDaemonSetPodTemplates, (event) =>
        keysForChild(extendedDaemonSets, owners, event),
      ),
      source(readers.daemonSets, (event) => keysForOldDaemonSet(owners, event)),
      source(readers.replacedDaemonSetPods, (event) => keysForReplacedPod(owners, event), 'deferred'),
      source(readers.nodes, (event) => keysForNode(owners, event)),
      source(readers.extendedDaemonsetSettings, (event) => keysForSetting(owners, event)),
      source(readers.definitionOfExtendedDaemonsetSettings, () => everyKey(owners)),
    ],
    minimumInterval: podsInterval,
    observe: (key, refused) => observe(readers, key, validationMode, findings, refused),
    decide,
    plan,
    events: (snapshot, _decision, outcome) => eventsOf(snapshot, outcome),
    report,
  };
}

/** What was refused for one pod is refused for the next. */
function noRefusalEnds(): boolean {
  return false;
}
