const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** How long ago it was, in its largest unit: `16 minutes`. */
export function age(timestamp: string | undefined, now: number): string {
  const at = Date.parse(timestamp ?? '');
  if (Number.isNaN(at)) return '<unknown>';
  const seconds = Math.max(0, Math.floor((now - at) / 1000));
  for (const [unit, length] of units) {
    const count = Math.floor(seconds / length);
    if (count >= 1) return `${count} ${unit}${count === 1 ? '' : 's'}`;
  }
  return '0 seconds';
}
