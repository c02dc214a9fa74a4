/** Bytes that are not the JSON that the API server promises. What was read before them stays valid. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}
