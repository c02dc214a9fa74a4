import { labels, oldEventReasons } from '@atoll/api';
import { apiVersionOf, controllerRevisions } from '@atoll/kube';
import type { KubeObject } from '@atoll/kube';
import { deletion } from '../../engine/steps/deletion.ts';
import { patchAsSeen } from '../../engine/steps/patch-as-seen.ts';
import type { Step } from '../../engine/step.ts';
import type { RevisionData } from '../child-template.ts';
import { workloadLabel } from '../names.ts';
import { ownerReference, type ChildOwner } from '../ownership/owner.ts';
import { expendable, hashOf, type Revision, type RevisionDecision } from './revision.ts';

/** How the history comes to record what was decided, and what it may forget. */
export function revisionSteps<Kind extends string>(
  owner: ChildOwner,
  decision: RevisionDecision<Kind>,
  history: readonly Revision<Kind>[],
  needed: ReadonlySet<string>,
  data: RevisionData<Kind>,
  limit: number,
): { readonly write: readonly Step[]; readonly trim: readonly Step[] } {
  const trim = expendable(history, limit, needed).flatMap((revision) => trimStep(revision, limit));
  return { write: writeStep(owner, decision, data), trim };
}

/**
 * Whether steps that name the revision wait until it is there. One that is there already and only gets another number
 * keeps nobody waiting.
 */
export function isMade(write: readonly Step[]): boolean {
  return write.some((step) => step.do === 'create');
}

function writeStep<Kind extends string>(
  owner: ChildOwner,
  { update, write }: RevisionDecision<Kind>,
  data: RevisionData<Kind>,
): readonly Step[] {
  const failure = {
    ifRefused: 'RevisionRefused',
    eventReason: oldEventReasons.failedRevisionProvision,
  } as const;
  if (write === 'create') {
    return [
      {
        do: 'create',
        resource: controllerRevisions,
        object: renderRevision(owner, update, data),
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
  const { name } = update.stored.metadata;
  const patch = { type: 'merge', body: { revision: update.number } } as const;
  return [
    {
      ...patchAsSeen(controllerRevisions, update.stored, patch),
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
  const { name } = stored.metadata;
  return [
    {
      ...deletion(controllerRevisions, stored),
      ifRefused: 'RevisionRefused',
      why: { word: 'HistoryLimit', message: `nothing runs ${name}, and revisionHistoryLimit is ${limit}` },
    },
  ];
}

function renderRevision<Kind extends string>(
  owner: ChildOwner,
  revision: Revision<Kind>,
  data: RevisionData<Kind>,
): KubeObject {
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
    data: data.write(revision.template),
    revision: revision.number,
  };
  return object;
}
