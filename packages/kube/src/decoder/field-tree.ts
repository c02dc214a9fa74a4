import { Buffer } from 'node:buffer';
import { setField } from '../values/set-field.ts';
import { walkLater, type Later } from '../values/walk-later.ts';

/**
 * What happens to one field: it is kept with all below it, it is skipped, or its own fields decide. `apart`: it is
 * kept, and the reader of the bytes does so by itself (`ObjectDecoder`).
 */
export type Branch = 'keep' | 'skip' | 'apart' | FieldTree;

export interface FieldTree {
  /** The fate of fields that are not named. */
  readonly otherwise: 'keep' | 'skip';
  readonly fields: readonly Field[];
}

export interface Field {
  readonly name: string;
  /** The name in UTF-8, to be compared with the bytes of a document. */
  readonly bytes: Uint8Array;
  readonly branch: Branch;
}

/** A field that is compared by its bytes. */
export function field(name: string, branch: Branch): Field {
  return { name, bytes: Buffer.from(name, 'utf8'), branch };
}

/** The fate of the named field. */
export function branchOf(tree: FieldTree, name: string): Branch {
  for (const candidate of tree.fields) if (candidate.name === name) return candidate.branch;
  return tree.otherwise;
}

/** A copy of a JSON value with only what the tree keeps; what is kept whole is shared. */
export function pick(value: unknown, tree: FieldTree): unknown {
  return walkLater((later) => pickLater(value, tree, later));
}

function pickLater(value: unknown, tree: FieldTree, later: Later): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const picked: unknown[] = [];
    later(() => {
      for (const element of value) picked.push(pickLater(element, tree, later));
    });
    return picked;
  }
  const picked: Record<string, unknown> = {};
  later(() => {
    for (const [name, below] of Object.entries(value)) {
      const branch = branchOf(tree, name);
      if (branch === 'skip') continue;
      setField(
        picked,
        name,
        branch === 'keep' || branch === 'apart' ? below : pickLater(below, branch, later),
      );
    }
  });
  return picked;
}

/** The same tree, where the named field is kept whole with that field apart; undefined: it is not. */
export function withApart(tree: FieldTree, name: string): FieldTree | undefined {
  if (branchOf(tree, name) !== 'keep') return undefined;
  const others = tree.fields.filter((each) => each.name !== name);
  return { ...tree, fields: [...others, field(name, 'apart')] };
}

/** The same tree, where the named field is skipped. */
export function without(tree: FieldTree, name: string): FieldTree {
  const others = tree.fields.filter((each) => each.name !== name);
  return { ...tree, fields: [...others, field(name, 'skip')] };
}
