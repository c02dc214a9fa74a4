import type { FieldsV1, JsonPatchOperation, Stored } from '@atoll/kube';
import type { ChildWorkload, RenderedChild } from '../child.ts';
import { isOurs, testManager, type OwnerChange } from './field-owners.ts';

/** The names of a field in `fieldsV1`, from the outside in. */
type Path = readonly string[];

/**
 * Whose fields must become ours before a child is applied that is to be without them; undefined: none. The API server fills them in beside
 * fields of ours, and nobody owns them, so an apply that leaves them out keeps them:
 *
 * - `rollingUpdate` of a strategy: with another type, as `Recreate` or `OnDelete`, the child is refused
 *   (`pkg/apis/apps/validation`, Kubernetes 1.36);
 * - of `serviceAccountName` and `serviceAccount` the one that is left out, a copy of the other: where only the copy is left, it counts, and the
 *   pods keep their account (`pkg/apis/core/v1/conversion.go`).
 *
 * What is ours goes with the next apply.
 */
export function ownersOfFilledIn(
  live: Stored<ChildWorkload>,
  wanted: RenderedChild,
): OwnerChange | undefined {
  const entries = live.metadata.managedFields ?? [];
  const ours = entries.findIndex(isOurs);
  const owned = entries[ours]?.fieldsV1;
  if (owned === undefined) return undefined;
  const strategies = ['strategy', 'updateStrategy'].filter((name) => mayNotRoll(name, live, wanted));
  const paths: readonly Path[] = [
    ...strategies.map((name) => ['f:spec', `f:${name}`, 'f:rollingUpdate']),
    ...(losesAccount(owned, live, wanted) ? accountPaths : []),
  ];
  const claims = paths.flatMap((path) => claim(owned, path, `/metadata/managedFields/${ours}/fieldsV1`));
  if (claims.length === 0) return undefined;
  return { does: 'claim-filled-in', operations: [...testManager(entries, ours), ...claims] };
}

const accountFields = ['serviceAccountName', 'serviceAccount'] as const;
const accountPaths = accountFields.map((name): Path => ['f:spec', 'f:template', 'f:spec', `f:${name}`]);

interface Strategy {
  readonly type?: string | null;
  readonly rollingUpdate?: object | null;
}

function mayNotRoll(name: string, live: Stored<ChildWorkload>, wanted: RenderedChild): boolean {
  const found = (live.spec as Readonly<Record<string, Strategy | undefined>> | undefined)?.[name];
  const { type, rollingUpdate } = (wanted.spec[name] ?? {}) as Strategy;
  const rolls = type !== 'Recreate' && type !== 'OnDelete';
  return !rolls && isAbsent(rollingUpdate) && !isAbsent(found?.rollingUpdate);
}

type Pods = Readonly<Partial<Record<(typeof accountFields)[number], string | null>>>;

function losesAccount(owned: FieldsV1, live: Stored<ChildWorkload>, wanted: RenderedChild): boolean {
  const names = (pods: object | undefined) =>
    accountFields.some((field) => !isAbsent((pods as Pods)?.[field]));
  return (
    accountPaths.some((path) => at(owned, path) !== undefined) &&
    names(live.spec?.template?.spec) &&
    !names(wanted.spec.template.spec)
  );
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function at(owned: FieldsV1, path: Path): FieldsV1 | undefined {
  return path.reduce<FieldsV1 | undefined>((found, name) => found?.[name], owned);
}

/** None where it is ours already. */
function claim(owned: FieldsV1, [name = '', ...rest]: Path, above: string): readonly JsonPatchOperation[] {
  const found = owned[name];
  const path = `${above}/${name}`;
  if (found !== undefined) return rest.length === 0 ? [] : claim(found, rest, path);
  const value = rest.reduceRight<FieldsV1>((below, each) => ({ [each]: below }), {});
  return [{ op: 'add', path, value }];
}
