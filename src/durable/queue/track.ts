/** `track`: keeps work in a set for as long as it runs, for those who wait for all of it. */
export async function track<T>(running: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  running.add(work);
  try {
    return await work;
  } finally {
    running.delete(work);
  }
}
