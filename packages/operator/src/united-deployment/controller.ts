import { kruiseManager, unitedDeployments } from '@atoll/api';
import type { CacheEvent, KubeObject, Reader } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import { noFindings, type Findings } from '../causes/findings.ts';
import type { ChildWorkload } from '../children/child.ts';
import { changesChild } from '../children/changes-child.ts';
import { everyKey } from '../children/every-key.ts';
import { ownSource, source, type Controller, type Source } from '../engine/controller.ts';
import { keysForChildOrOrphan, keysForRevision } from '../places/adoption/keys-for-orphan.ts';
import { subsetPlaces } from './subsets/child.ts';
import { decide } from './decide.ts';
import type { UnitedDeploymentDecision } from './decision.ts';
import { observe, type UnitedDeploymentSnapshot } from './observe.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';
import { reportConflict } from './kruise/report-conflict.ts';
import { eventsOf } from './events.ts';
import { keysForSubsetPod } from './keys-for-event.ts';

/** Spreads a total of replicas over one workload for each subset. */
export function createUnitedDeploymentController(
  readers: Readers,
  findings: Findings = noFindings,
): Controller<UnitedDeploymentSnapshot, UnitedDeploymentDecision> {
  const { unitedDeployments: owners } = readers;
  const ofAll = () => everyKey(owners);
  const keysForOwned = (event: CacheEvent<KubeObject>) =>
    event.object.metadata.name === kruiseManager.workload
      ? ofAll()
      : keysForChildOrOrphan(unitedDeployments, owners, subsetPlaces.placeLabel, event);
  const childSource = (reader: Reader<ChildWorkload>): Source =>
    source(reader, keysForOwned, 'deferred', changesChild);
  return {
    name: 'united-deployment',
    resource: unitedDeployments,
    sources: [
      ownSource(owners),
      childSource(readers.deployments),
      childSource(readers.statefulSets),
      childSource(readers.advancedStatefulSets),
      childSource(readers.cloneSets),
      source(
        readers.controllerRevisions,
        (event) => keysForRevision(unitedDeployments, owners, event),
        'deferred',
      ),
      source(readers.subsetPods, (event) => keysForSubsetPod(readers, event), 'deferred'),
      source(readers.kruiseKeptOff, ofAll),
      source(readers.kruiseValidatingWebhooks, ofAll),
      source(readers.kruiseMutatingWebhooks, ofAll),
    ],
    observe: (key, refused) => observe(readers, key, findings, refused),
    decide,
    plan,
    events: eventsOf,
    report: (snapshot, decision, outcome, now) => {
      const { conflict } = decision;
      return conflict === undefined
        ? report(snapshot, decision, outcome, now)
        : reportConflict(snapshot, conflict, now);
    },
  };
}
