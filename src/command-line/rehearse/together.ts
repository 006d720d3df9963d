/** `together`: plays several cases at the same time, or asks about several sales. */

/** The cases whose faults are for their own domain. */
const atOnce = 8;

/** Works on all items in their order, on some of them at once. */
export async function together<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
