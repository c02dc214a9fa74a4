const decimal = /^[0-9]+$/;

/**
 * Orders two resourceVersions of one resource: negative where `a` is older, positive where it is newer, 0 where
 * they are equal. They are decimal numbers of any length, comparable for built-in and custom resources since
 * Kubernetes 1.35 (KEP-5504). undefined where one is not a decimal number: an aggregated API server may use
 * versions that only it understands.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  const left = significant(a);
  const right = significant(b);
  if (left.length !== right.length) return left.length - right.length;
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Whether to take `a` over `b`: it is newer, or they have no order and what comes last is taken. */
export function isNewer(a: string, b: string): boolean {
  return (compareResourceVersions(a, b) ?? 1) > 0;
}

/** Whether `a` is newer than `b` beyond doubt. */
export function isCertainlyNewer(a: string, b: string): boolean {
  return (compareResourceVersions(a, b) ?? 0) > 0;
}

function significant(version: string): string {
  return version.startsWith('0') ? version.replace(/^0+(?=.)/, '') : version;
}
