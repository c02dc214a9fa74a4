import { daemonSetUpdate } from '@atoll/api';
import {
  conditionOf,
  jobs,
  pods as podResource,
  type Instant,
  type Job,
  type Pod,
  type Stored,
} from '@atoll/kube';
import { conditionPatch } from '../daemon-set/strategy/need-upgrade.ts';
import { turnAt } from '../engine/rollout/deleted-in-turn.ts';
import { deletion } from '../engine/steps/deletion.ts';
import { guardOf, nothingToDo, type Plan, type Stage } from '../engine/plan.ts';
import { conditionMessage, toTimestamp } from '../engine/status/conditions.ts';
import type { Step } from '../engine/step.ts';
import type { Answer, PrePullDecision } from './decide.ts';
import type { PrePullSnapshot } from './observe.ts';
import { pullJob } from './pull-job.ts';
import { revisionMessage } from './pull-request.ts';

const {
  podConditions: { imageReady: type },
  pullReasons,
} = daemonSetUpdate;

/** Makes the Job, writes its result into the condition of the pod, and deletes it when that was seen. */
export function plan(
  { pod }: PrePullSnapshot,
  { start, answer, obsolete, requeueAt }: PrePullDecision,
  now: Instant,
): Plan {
  const stages: readonly Stage[] = [
    {
      name: 'record whether the images are there',
      steps: answer === undefined ? [] : [answerStep(pod, answer, now)],
    },
    { name: 'delete pull Jobs', steps: obsolete.map((job) => clearStep(pod, job)) },
    {
      name: 'create the pull Job',
      steps: start === undefined ? [] : [startStep(pod, start, now)],
    },
  ];
  return {
    ...nothingToDo,
    stages: stages.filter(({ steps }) => steps.length > 0),
    guards: [guardOf(podResource, pod)],
    ...(requeueAt === undefined ? {} : { requeueAt }),
  };
}

function startStep(
  pod: Stored<Pod>,
  { template, revision }: NonNullable<PrePullDecision['start']>,
  now: Instant,
): Step {
  const object = pullJob(pod, template, revision);
  const node = pod.spec?.nodeName ?? '';
  const message = `the images of revision ${revision} are pulled on node ${node} by Job ${object.metadata.name}`;
  return {
    do: 'create',
    resource: jobs,
    object,
    managed: 'once',
    trial: object.metadata.name,
    turn: turnAt(now),
    target: node,
    why: { word: 'ImagePullStarted', message },
  };
}

function clearStep({ spec }: Stored<Pod>, job: Stored<Job>): Step {
  const message = `Job ${job.metadata.name} is not needed any more`;
  return { ...deletion(jobs, job), target: spec?.nodeName ?? '', why: { word: 'ImagePullCleared', message } };
}

function answerStep(pod: Stored<Pod>, answer: Answer, now: Instant): Step {
  const found = conditionOf(pod, type);
  const isPulled = answer.is === 'pulled';
  const condition = {
    type,
    status: isPulled ? 'True' : 'False',
    reason: isPulled ? pullReasons.pulled : pullReasons.failed,
    message: isPulled
      ? revisionMessage(answer.revision)
      : conditionMessage(`${problemOf(answer)}. Ask the agent of the node again (imagepull)`),
    lastTransitionTime: isPulled ? toTimestamp(now) : (found?.lastTransitionTime ?? toTimestamp(now)),
  };
  const node = pod.spec?.nodeName ?? '';
  const message = isPulled
    ? `the images are on node ${node}`
    : `the images are not on node ${node}: ${answer.why}`;
  const why = { word: isPulled ? 'PullImageSuccess' : 'PullImageFail', message } as const;
  return { ...conditionPatch(pod, condition), why };
}

function problemOf({ job, why }: Extract<Answer, { readonly is: 'failed' }>): string {
  return job === undefined ? why : `Job ${job} could not pull the images: ${why}`;
}
