import {
  ApiError,
  type ApplyOptions,
  type Client,
  type KubeObject,
  type Stored,
  type WriteOptions,
} from '@atoll/kube';

export interface Asked {
  readonly verb: 'create' | 'apply';
  readonly name: string;
}

/** An API server that answers dry runs as given, and keeps the requests. */
export class Judge implements Pick<Client, 'create' | 'apply'> {
  readonly asked: Asked[] = [];
  answer: ((verb: Asked['verb'], object: KubeObject) => ApiError | undefined) | undefined;

  async create<T extends KubeObject>(_: unknown, object: T, options?: WriteOptions): Promise<Stored<T>> {
    return this.#judge('create', object, options);
  }

  async apply<T extends KubeObject>(
    _: unknown,
    object: KubeObject,
    options: ApplyOptions,
  ): Promise<Stored<T>> {
    if (options.force !== true) throw new Error('fields of other managers would count as a conflict');
    return this.#judge('apply', object as T, options);
  }

  #judge<T extends KubeObject>(verb: Asked['verb'], object: T, options?: WriteOptions): Stored<T> {
    if (options?.dryRun !== true) throw new Error(`a webhook would ${verb} ${object.metadata.name}`);
    this.asked.push({ verb, name: object.metadata.name });
    const error = this.answer?.(verb, object);
    if (error !== undefined) throw error;
    return object as unknown as Stored<T>;
  }
}

export function refusal(code: number, reason: string, message: string, field?: string): ApiError {
  const details = field === undefined ? {} : { causes: [{ field, message }] };
  const status = { code, reason, message, details };
  return new ApiError({ fate: 'refused', code, reason, message, attempted: 'create', status });
}
