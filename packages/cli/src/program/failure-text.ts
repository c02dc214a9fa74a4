import type { ApiError } from '@atoll/kube';

/** Why a command failed, and what to do. Loads the client only where it is loaded already. */
export async function failureText(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  if (error.name !== 'ApiError') return error.message;
  const { isApiError } = await import('@atoll/kube');
  const advice = isApiError(error) ? adviceFor(error) : '';
  return advice === '' ? error.message : `${error.message.replace(/\.$/, '')}. ${advice}`;
}

function adviceFor({ attempted, code, fate, reason, status, message }: ApiError): string {
  const isRead = /^(get|list|watch) /.test(attempted);
  if (fate === 'in-doubt' && !isRead)
    return 'It is not known whether this was done. Look at the object, and repeat the command: that does no harm';
  if (code === 401) return 'Log in again, or name other credentials with --context or --token';
  // A webhook that refuses answers with the same code.
  if (code === 403 && message.includes('is forbidden: User'))
    return 'Ask for this permission, or name a user who has it with --context or --as';
  if (code === 404 && status === undefined)
    return 'This cluster does not have the kind: install its CRD, or name another cluster with --context';
  if (reason === 'NotFound') return 'It was deleted meanwhile; nothing was changed';
  if (status?.details?.causes?.some(({ field }) => field === 'metadata.uid') === true)
    return 'It was deleted and made again meanwhile; nothing was changed. Look at the new one before the command is repeated';
  if (reason === 'Conflict') return 'Nothing was changed; repeat the command';
  if (reason === 'Timeout' && code === 0) return 'Give it more time with --request-timeout';
  return reason === 'NetworkError' ? 'Another cluster is named with --context or --server' : '';
}
