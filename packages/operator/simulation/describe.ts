import { formatKey, keyOf } from '@atoll/kube';
import { describeCause } from '../src/engine/problems/describe-hold.ts';
import type { Plan } from '../src/engine/plan.ts';
import type { Request } from '../src/engine/executor/requests/request.ts';
import type { Step } from '../src/engine/step.ts';
import { conditionLines, type FoundCondition } from './condition-lines.ts';
import { canonicalText } from './model/json.ts';

/** The texts of explorer and stories: plain sentences, the same words everywhere. */
export function describePlan(plan: Plan): string {
  const steps = plan.stages.flatMap((stage) => stage.steps).map(describeStep);
  const holds = plan.holds.map(
    (hold) =>
      `holds${hold.targets.map((each) => ` ${each}`).join(',')} (${hold.reason}: ${describeCause(hold)})`,
  );
  const parts = [...steps, ...holds];
  return parts.length === 0 ? ' nothing to do' : parts.map((each) => `\n       ${each}`).join('');
}

export function describeStep(step: Step): string {
  return `${nameOf(step)} — ${step.why.word}: ${step.why.message}`;
}

export function describeRequest(request: Request): string {
  const name = formatKey('key' in request ? request.key : keyOf(request.object));
  const what = `${request.resource.kind} ${name}`;
  switch (request.verb) {
    case 'create':
      return `${request.dryRun === true ? 'tries' : 'creates'} ${what}`;
    case 'create-by-apply':
      return `creates ${what}`;
    case 'apply':
      return `${request.dryRun === true ? 'tries to apply' : 'applies'} ${what}`;
    case 'apply-conditions':
      return `writes conditions of ${what}: ${conditionLines(request.conditions).join('; ')}`;
    case 'delete':
      return `deletes ${what}`;
    case 'get':
      return `reads ${what}`;
    case 'patch':
      return request.subresource === undefined
        ? `patches ${what} ${brief(withoutVersion(request.patch.body))}`
        : `writes ${request.subresource} of ${what}: ${describeStatus(request.patch.body)}`;
  }
}

export function describeMove(neighbour: string, label: string): string {
  return `${neighbour}: ${label}`;
}

function nameOf(step: Step): string {
  if (step.do === 'event') return `event ${step.event.reason}`;
  const key = 'object' in step ? keyOf(step.object) : step.key;
  return `${step.do} ${step.resource.kind} ${formatKey(key)}`;
}

/** A status as it will read; uid and version are in every write and mean nothing. */
function describeStatus(body: unknown): string {
  const { status } = body as { readonly status?: Readonly<Record<string, unknown>> };
  if (status === undefined) return brief(body);
  const { conditions, ...fields } = status;
  const parts = Object.entries(fields).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : brief(value)}`,
  );
  return [...parts, ...conditionLines((conditions ?? []) as readonly FoundCondition[])].join('; ');
}

function withoutVersion(body: unknown): unknown {
  if (Array.isArray(body)) {
    const operations = body as readonly { readonly path?: string }[];
    return operations.filter(({ path }) => path !== '/metadata/uid' && path !== '/metadata/resourceVersion');
  }
  const { metadata, ...rest } = body as { readonly metadata?: Readonly<Record<string, unknown>> };
  if (metadata === undefined) return body;
  const { uid: _uid, resourceVersion: _version, ...changed } = metadata;
  return Object.keys(changed).length === 0 ? rest : { metadata: changed, ...rest };
}

function brief(body: unknown): string {
  const text = canonicalText(body);
  return text.length <= 160 ? text : `${text.slice(0, 159)}…`;
}
