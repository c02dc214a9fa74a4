import { Argument } from 'commander';
import type { KubeObject, Resource } from '@atoll/kube';
import { objectName } from '../program/object-name.ts';

/** An argument that is the name of an object, which completion offers. The kind is loaded when it is needed. */
export interface ObjectArgument extends Argument {
  readonly kind: () => Promise<Resource<KubeObject>>;
}

export function objectArgument<T extends KubeObject>(
  shown: string,
  kind: () => Promise<Resource<T>>,
  description?: string,
): ObjectArgument {
  return Object.assign(new Argument(shown, description).argParser(objectName), {
    kind: kind as ObjectArgument['kind'],
  });
}

export function isObjectArgument(argument: Argument): argument is ObjectArgument {
  return 'kind' in argument;
}

/** The argument of commands about one ExtendedDaemonSet. */
export function edsArgument(): ObjectArgument {
  return objectArgument('<eds>', async () => (await import('@atoll/api')).extendedDaemonSets);
}
