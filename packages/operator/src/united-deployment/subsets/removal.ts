import { annotations, subsetRemovals, type UnitedDeployment } from '@atoll/api';

/**
 * Whether children that are wanted no longer stay until others have taken their place. What nobody understands was meant to
 * be careful.
 */
export function waitsForReplacement({ metadata }: Pick<UnitedDeployment, 'metadata'>): boolean {
  const removal = metadata.annotations?.[annotations.subsetRemoval] ?? '';
  return removal !== '' && removal !== subsetRemovals.immediate;
}
