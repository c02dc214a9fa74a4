import type {
  ApiError,
  EventOccurrence,
  EventSubject,
  KubeObject,
  ObjectKey,
  Patch,
  Resource,
  Taint,
} from '@atoll/kube';
import type { Condition, ReasonWord } from '@atoll/api';

/** Why something is done: a word from the catalogue, and a sentence for people with the deciding numbers. */
export interface Reason {
  readonly word: ReasonWord;
  readonly message: string;
}

/** What of a node decides which pod it is to have, as it was seen. */
export interface NodeSeen {
  readonly key: ObjectKey;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** Those whose names begin so; undefined: none decides. */
  readonly annotations?: { readonly prefix: string; readonly found: Readonly<Record<string, string>> };
}

/**
 * Another object than the plan's parent that a step depends on, as it was seen: which one, if any, and its labels. Where its status is what
 * justifies the step, as that canary pods are Ready, also its version; where its spec is what the step copies, also its generation.
 */
export interface Seen {
  readonly resource: Resource<KubeObject>;
  readonly key: ObjectKey;
  /** undefined: there was none. */
  readonly uid: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** undefined: its status may move. */
  readonly resourceVersion?: string;
  /** undefined: its spec may change. */
  readonly generation?: number;
  /** Of a node; undefined: they may change. */
  readonly taints?: readonly Taint[];
  /** Of a node, those that decide; undefined: they may change. */
  readonly annotations?: NodeSeen['annotations'];
  /** A node that must be Ready; undefined: it may be away. */
  readonly ready?: true;
}

/**
 * The field of the plan's own object that the fields of a written one are made of, as `spec.workloadTemplate.deploymentTemplate`: a refusal
 * names that, because it is what people have written. Absent: they are made of more than one.
 */
type TemplateField = string;

/**
 * One write, as data. An open union: later kinds bring probes and pulls.
 *
 * - `create`: makes an object that must not exist. `managed: 'apply'` creates by server-side apply, so that later
 *   applies own its fields; `managed: 'once'` posts an object that is never updated. A name that is taken by an
 *   object of the same controller owner counts as done; one taken by a stranger fails.
 * - `try`: asks the API server whether it would make an object, without making it, or with a uid, whether it would change the one that is
 *   there (a dry run). What it refuses fails, and holds back whatever depends on it; the name may be that of the object which is to be
 *   replaced. What was refused is in the next snapshot (`refused-trials.ts`).
 * - `apply`: updates an existing object by server-side apply. The uid is part of the request, so that it never
 *   re-creates (finding F6); so is the resourceVersion: what the plan has seen is what is changed (F2), a child that was
 *   let go meanwhile is not taken back, and what a deposed leader still sends finds a newer version (F4).
 * - `patch`: changes single fields of an object that is not ours as a whole (a Node), as it was seen: uid and
 *   resourceVersion are part of the request.
 * - `conditions`: puts conditions of ours into the status of an object that is not ours (a DaemonSet), by a server-side apply that
 *   names nothing else, under a field manager of its own: what its controller writes there stays as it is, and ours stay
 *   when it writes. None means that ours go. The uid is part of the request (the API server compares it for
 *   built-in kinds, and not for custom ones); the version is not, because the status of such an object moves all the time and
 *   nothing of others can be overwritten.
 * - `delete`: always with the uid; with the resourceVersion where an object's status is the justification (F2).
 * - `event`: records an event.
 */
export type Step = {
  readonly why: Reason;
  /** Id of the target (`rollout/target.ts`) that the step serves; names it in failures. */
  readonly target?: string;
  /** The word for it when the API server refuses the step; `ChildRefused` by default. */
  readonly ifRefused?: ReasonWord;
  /** Whom the event of a refusal regards, where it is not the object that the plan is for. */
  readonly regarding?: EventSubject;
  /** The reason of the event of a refusal, where users of an old operator filter by another word. */
  readonly eventReason?: string;
  /**
   * Cannot be taken back: directly before it is sent the object that the plan is for is read live once more, and the step is
   * dropped unless that, and what else guards the plan, is still as it was seen (F5).
   */
  readonly irreversible?: true;
  /**
   * A node that must be Ready, as far as is known, when the step is sent: it takes down what runs there, and nothing comes in its place
   * while the node is away.
   */
  readonly whileReady?: ObjectKey;
  /** How the node was seen, where this decides what is made there, or comes in place of what is taken down: it must still be so, as far as is known. */
  readonly nodeSeen?: NodeSeen;
  /** Read live directly before the step is sent, which is dropped unless all are as they were seen. */
  readonly restsOn?: readonly Seen[];
  /**
   * uids of objects that steps of earlier stages write, and names of those that they make or try, which must have been written: where
   * such a step was dropped, or may still succeed, this one waits for the next plan. For the second half of a move. Of what was tried to be
   * made one must have been found good, and of what was tried to be changed all.
   */
  readonly dependsOn?: readonly string[];
  /** Another write of the object follows with the next plan, and what depends on it waits for that one. */
  readonly isPreliminary?: true;
} & (
  | {
      readonly do: 'create';
      readonly resource: Resource<KubeObject>;
      readonly object: KubeObject;
      readonly template?: TemplateField;
      readonly managed: 'apply' | 'once';
      /** Labels that must be equal, besides the owner's uid, for an object under this name to count as ours. */
      readonly identity?: readonly string[];
      /** Names it among what was refused, which is in the next snapshot (`refused-trials.ts`); absent: it is not remembered. */
      readonly trial?: string;
      /** As that of `try`. */
      readonly turn?: number;
    }
  | {
      readonly do: 'try';
      readonly resource: Resource<KubeObject>;
      readonly object: KubeObject;
      readonly template?: TemplateField;
      /** Of the object that would be changed, as `apply` does it; absent: one would be made. */
      readonly uid?: string;
      /** Names what is tried: objects that the API server is to judge alike have the same name. */
      readonly trial: string;
      /** In which turn it is tried: where it is refused, that of the first time is remembered beside the answer. */
      readonly turn?: number;
      /** What it is to replace asks for as much of quotas. */
      readonly asksTheSame?: boolean;
      /** It was refused before, and the plan does without it until it is not. */
      readonly isRetry?: true;
    }
  | {
      readonly do: 'apply';
      readonly resource: Resource<KubeObject>;
      readonly object: KubeObject;
      readonly template?: TemplateField;
      readonly uid: string;
      readonly resourceVersion: string;
    }
  | {
      readonly do: 'patch';
      readonly resource: Resource<KubeObject>;
      readonly key: ObjectKey;
      readonly uid: string;
      readonly resourceVersion: string;
      readonly patch: Patch;
      readonly subresource?: string;
    }
  | {
      readonly do: 'delete';
      readonly resource: Resource<KubeObject>;
      readonly key: ObjectKey;
      readonly uid: string;
      readonly resourceVersion?: string;
      readonly propagation: 'Background' | 'Foreground' | 'Orphan';
      /** Of a pod: by the eviction API, which refuses (429) what a PodDisruptionBudget does not allow. */
      readonly evict?: true;
      /** As that of `create`. */
      readonly trial?: string;
      /** It was refused before, and the plan does without it until it is not. */
      readonly isRetry?: true;
    }
  | {
      readonly do: 'conditions';
      readonly resource: Resource<KubeObject>;
      readonly key: ObjectKey;
      readonly uid: string;
      /** All conditions of the field manager on this object, as they should be. */
      readonly conditions: readonly Condition[];
      /** The types that the field manager writes; a condition of one that is not in `conditions` goes. */
      readonly types: readonly string[];
      readonly fieldManager: string;
    }
  | { readonly do: 'event'; readonly event: PlannedEvent }
);

/** An event for people; the first clause of its note has what is needed. Sent by the recorder, as a series where repeated. */
export type PlannedEvent = EventOccurrence;

/**
 * What became of one step. `adopted`: the object was there already and is ours, so it may differ from what was
 * planned. `heldBack`: it was not sent, because it was refused a moment ago; the error is that
 * answer. The object itself is in the cache; results are kept until the reconcile is over, and the answers of
 * a thousand steps would be most of what the process holds.
 */
export type StepResult =
  | { readonly step: Step; readonly did: 'done'; readonly adopted?: true }
  | { readonly step: Step; readonly did: 'failed'; readonly error: ApiError; readonly heldBack?: true }
  | { readonly step: Step; readonly did: 'skipped'; readonly because: SkipReason };

/**
 * Why a planned step had no effect without anything being wrong: a stage that it depends on failed; the world it was
 * planned for is gone (the guard no longer holds, F8, or the server refused a precondition: requeued); too many of
 * its stage failed in a row; leadership is in doubt or over (F4); the operator is shutting down; the status is written before the plan
 * is carried out.
 */
export type SkipReason =
  'earlier-stage-failed' | 'plan-outdated' | 'too-many-failures' | 'not-leader' | 'stopping' | 'not-yet';

/** What each step of a plan did, in the plan's order. */
export interface Outcome {
  readonly results: readonly StepResult[];
}
