import { createClient, isApiError, loadKubeconfig, type StreamingClient } from '@atoll/kube';

/** A client of the control plane that the kubeconfig file names. */
export async function connect(kubeconfig: string): Promise<StreamingClient> {
  const access = await loadKubeconfig({ path: kubeconfig });
  return createClient(access, { userAgent: 'api-specs', onWarning: () => {} });
}

/** What the API server answers when it refuses; throws where it does not refuse. */
export async function refusalOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
  } catch (error) {
    if (isApiError(error) && error.fate === 'refused') return error.message;
    throw error;
  }
  throw new Error('the API server accepted it');
}
