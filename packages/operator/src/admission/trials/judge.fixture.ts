import { ApiError, type Client, type KubeObject, type Stored } from '@atoll/kube';

export interface Asked {
  readonly verb: 'create' | 'apply';
  readonly name: string;
}

/** An API server that answers dry runs as given, and keeps the requests. */
export class Judge implements Pick<Client, 'create' | 'apply'> {
  readonly asked: Asked[] = [];
  answer: ((verb: Asked['verb'], object: KubeObject) => ApiError | undefined) | undefined;

  async create<T extends KubeObject>(_: unknown, object: T): Promise<Stored<T>> {
    return this.#judge('create', object);
  }

  async apply<T extends KubeObject>(_: unknown, object: KubeObject): Promise<Stored<T>> {
    return this.#judge('apply', object as T);
  }

  #judge<T extends KubeObject>(verb: Asked['verb'], object: T): Stored<T> {
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
