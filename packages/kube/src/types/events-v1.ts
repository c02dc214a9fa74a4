// Generated from the OpenAPI document of Kubernetes v1.36.3 by scripts/generate-types.ts. Do not edit.

import type { KubeObject } from '../objects/object.ts';
import type { EventSource, ObjectReference } from './core-v1.ts';

/** Event is a report of an event somewhere in the cluster. */
export interface Event extends KubeObject {
  /** action is what action was taken/failed regarding to the regarding object. */
  readonly action?: string;
  /** deprecatedCount is the deprecated field assuring backward compatibility with core.v1 Event type. */
  readonly deprecatedCount?: number;
  /** deprecatedFirstTimestamp is the deprecated field assuring backward compatibility with core.v1 Event type. */
  readonly deprecatedFirstTimestamp?: string;
  /** deprecatedLastTimestamp is the deprecated field assuring backward compatibility with core.v1 Event type. */
  readonly deprecatedLastTimestamp?: string;
  /** deprecatedSource is the deprecated field assuring backward compatibility with core.v1 Event type. */
  readonly deprecatedSource?: EventSource;
  /** eventTime is the time when this Event was first observed. */
  readonly eventTime: string;
  /** note is a human-readable description of the status of this operation. */
  readonly note?: string;
  /** reason is why the action was taken. */
  readonly reason?: string;
  /** regarding contains the object this Event is about. */
  readonly regarding?: ObjectReference;
  /** related is the optional secondary object for more complex actions. */
  readonly related?: ObjectReference;
  /** reportingController is the name of the controller that emitted this Event, e.g. */
  readonly reportingController?: string;
  /** reportingInstance is the ID of the controller instance, e.g. */
  readonly reportingInstance?: string;
  /** series is data about the Event series this event represents or nil if it's a singleton Event. */
  readonly series?: EventSeries;
  /** type is the type of this event (Normal, Warning), new types could be added in the future. */
  readonly type?: string;
}

/** EventSeries contain information on series of events, i.e. thing that was/is happening continuously for some time. */
export interface EventSeries {
  /** count is the number of occurrences in this series up to the last heartbeat time. */
  readonly count: number;
  /** lastObservedTime is the time when last Event from the series was seen before last heartbeat. */
  readonly lastObservedTime: string;
}
