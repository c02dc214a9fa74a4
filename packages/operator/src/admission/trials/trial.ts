import type { KubeObject, Resource } from '@atoll/kube';
import type { RenderedChild } from '../../children/child.ts';
import type { FieldProblem } from '../../engine/problems/field-problem.ts';

/** A child to be tried by dry run. Trials of the same key have the same verdict. */
export interface Trial {
  readonly key: string;
  readonly resource: Resource<KubeObject>;
  readonly object: KubeObject & { readonly spec: object };
  /** undefined: it is tried as a new one. */
  readonly uid: string | undefined;
  /** Its place has a child already: what keeps another one out is of no concern. */
  readonly occupied: boolean;
}

/** Of a child that makes pods. */
export interface ChildTrial extends Trial {
  readonly object: RenderedChild;
}

/** A trial, and the message about it. */
export interface ExplainedTrial<T extends Trial = Trial> {
  readonly trial: T;
  /** The child that it stands for: `the Deployment of pool north`. */
  readonly what: string;
  /**
   * What is wrong with a field of the child, under the field that its owner's user wrote; undefined: that is no concern of
   * this trial.
   */
  readonly toOwner: (problem: FieldProblem) => FieldProblem | undefined;
  /** It only stands for the pods of the child: other errors of the API server are ignored. */
  readonly podsOnly?: true;
  /** One that asks the same of a quota is deleted first: that it is full is of no concern. */
  readonly hasRoom?: boolean;
}
