import { defaultRevisionHistoryLimit, labels } from '@atoll/api';
import { apiVersionOf, controllerRevisions } from '@atoll/kube';
import type { KubeObject } from '@atoll/kube';
import type { Step } from '../engine/step.ts';
import { workloadLabel } from './names.ts';
import { ownerReference, type Owner } from './render-child.ts';
import { expendable, hashOf, type Revision, type RevisionDecision } from './revision.ts';
import { toRevisionData } from './template.ts';

/** How the history comes to say what was decided, and what it may forget. */
export function revisionSteps(
  owner: Owner,
  decision: RevisionDecision,
  history: readonly Revision[],
  needed: ReadonlySet<string>,
): { readonly write: readonly Step[]; readonly trim: readonly Step[] } {
  const limit = owner.object.spec.revisionHistoryLimit ?? defaultRevisionHistoryLimit;
  const trim = expendable(history, limit, needed).flatMap((revision) => trimStep(revision, limit));
  return { write: writeStep(owner, decision), trim };
}

function writeStep(owner: Owner, { update, write }: RevisionDecision): readonly Step[] {
  const failure = { ifRefused: 'RevisionRefused', eventReason: 'FailedRevisionProvision' } as const;
  if (write === 'create') {
    return [
      {
        do: 'create',
        resource: controllerRevisions,
        object: renderRevision(owner, update),
        managed: 'once',
        identity: [labels.revisionHash],
        ...failure,
        why: {
          word: 'RevisionCreated',
          message: `the template is new: revision ${update.number} is ${update.name}`,
        },
      },
    ];
  }
  if (write === 'none' || update.stored === undefined) return [];
  const { name, namespace = '', uid, resourceVersion } = update.stored.metadata;
  return [
    {
      do: 'patch',
      resource: controllerRevisions,
      key: { namespace, name },
      uid,
      resourceVersion,
      patch: { type: 'merge', body: { revision: update.number } },
      ...failure,
      why: {
        word: 'RevisionCreated',
        message: `the template is that of ${name} again, now revision ${update.number}`,
      },
    },
  ];
}

function trimStep({ stored }: Revision, limit: number): readonly Step[] {
  if (stored === undefined) return [];
  const { name, namespace = '', uid } = stored.metadata;
  return [
    {
      do: 'delete',
      resource: controllerRevisions,
      key: { namespace, name },
      uid,
      propagation: 'Background',
      ifRefused: 'RevisionRefused',
      why: { word: 'HistoryLimit', message: `nothing runs ${name} and the history keeps ${limit}` },
    },
  ];
}

function renderRevision(owner: Owner, revision: Revision): KubeObject {
  const { name, namespace = '' } = owner.object.metadata;
  const object = {
    apiVersion: apiVersionOf(controllerRevisions),
    kind: controllerRevisions.kind,
    metadata: {
      name: revision.name,
      namespace,
      labels: {
        ...revision.template.labels,
        [labels.revisionHash]: hashOf(revision),
        [labels.workload]: workloadLabel(name),
      },
      ownerReferences: [ownerReference(owner)],
    },
    data: toRevisionData(revision.template),
    revision: revision.number,
  };
  return object;
}
