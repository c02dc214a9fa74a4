/** What a checkout and a build on a machine with this umask do; files that others made keep their modes. */
export async function withUmask<T>(mask: number, work: () => Promise<T>): Promise<T> {
  const before = process.umask(mask);
  try {
    return await work();
  } finally {
    process.umask(before);
  }
}
