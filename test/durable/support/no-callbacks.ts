/** The callbacks of an outbox whose verdicts a test does not look at. */
export const noCallbacks = {
  onPlaced: () => undefined,
  onRefused: () => undefined,
  onAttention: () => undefined,
  logger: false,
} as const;
