import { groupResourceOf, type KubeObject, type Resource } from '@atoll/kube';
import type { WriteStep } from '../engine/executor/requests/request.ts';
import type { DeclaredWrite, KindDefinition } from './kind-definition.ts';

type Verb = DeclaredWrite['verbs'][number];

/** Why a controller may not send a step, as an error of ours; undefined: it declares such writes. */
export type Undeclared = (step: WriteStep, controller: string) => string | undefined;

/** Compares steps with what the controllers declare that they write. */
export function undeclaredBy(definitions: readonly KindDefinition[]): Undeclared {
  const declared = new Map(
    definitions.map(({ name, writes }) => [
      name,
      new Set(
        writes.flatMap(({ resource, verbs, subresource }) =>
          verbs.map((verb) => textOf(verb, resource, subresource)),
        ),
      ),
    ]),
  );
  return (step, controller) => {
    const write = writeOf(step);
    if (declared.get(controller)?.has(write) === true) return undefined;
    return `${controller} does not declare that it may ${write}: add it to "writes" of its definition`;
  };
}

function writeOf(step: WriteStep): string {
  switch (step.do) {
    case 'apply':
      return textOf('patch', step.resource);
    case 'patch':
      return textOf('patch', step.resource, step.subresource);
    case 'conditions':
      return textOf('patch', step.resource, 'status');
    case 'delete':
      return step.evict === true
        ? textOf('create', step.resource, 'eviction')
        : textOf('delete', step.resource);
    case 'create':
      return textOf('create', step.resource);
    case 'try':
      return textOf(step.uid === undefined ? 'create' : 'patch', step.resource);
  }
}

function textOf(verb: Verb, resource: Resource<KubeObject>, subresource?: string): string {
  return `${verb} ${groupResourceOf(resource)}${subresource === undefined ? '' : `/${subresource}`}`;
}
