/** The errors of the durable part. */

import { brandClass, PackageError } from '../core/errors/package-error.js';

/** An option is wrong, or something that an engine needs is missing. */
export class DurableConfigurationError extends PackageError {
  static {
    brandClass(this, 'DurableConfigurationError');
  }
}

/**
 * A call is not possible in the current state: the queue was stopped, or another call came first. The
 * arguments are right: read the state again.
 */
export class DurableStateError extends PackageError {
  static {
    brandClass(this, 'DurableStateError');
  }
}

/** Another worker has the job: its lease expired here, or it was released. */
export class LeaseLostError extends PackageError {
  static {
    brandClass(this, 'LeaseLostError');
  }

  constructor(id: string) {
    super(
      `The lease of job "${id}" is lost, so another worker may run it. This one wrote nothing.`,
    );
  }
}

/**
 * The history no longer reaches back to the checkpoint: events between the two may never have been
 * read.
 */
export class HistoryGapError extends PackageError {
  static {
    brandClass(this, 'HistoryGapError');
  }

  /** The checkpoint's event: everything up to it was read. */
  declare readonly cursor: string | null;
  /** The latest `created_at` that was read. */
  declare readonly horizon: string | null;
  /** The oldest event that the history still has. */
  declare readonly oldest: { readonly id: string; readonly created_at: string };

  constructor(facts: Pick<HistoryGapError, 'cursor' | 'horizon' | 'oldest'>) {
    super(
      `The history begins at ${facts.oldest.created_at}, after the checkpoint at ${String(facts.horizon)}: ` +
        'events between them may be lost. Compare your orders with the service: `npx market-partner-sdk reconcile`.',
      facts,
    );
  }
}

/** A sale with this key exists, with another order; or `addSync` found it and compared nothing. */
export class OutboxConflictError extends PackageError {
  static {
    brandClass(this, 'OutboxConflictError');
  }

  constructor(key: string, found: 'another_order' | 'not_compared' = 'another_order') {
    super(
      found === 'another_order'
        ? `The outbox has a sale "${key}" with another order. A key belongs to one payment, and the first order under it is kept.`
        : `The outbox already knows the key "${key}". addSync does not compare the orders. Await outbox.add, which adds nothing if the order is the same.`,
    );
  }
}

/** `waitFor` ran out of time. The outbox continues with the sale, if it has one with this key. */
export class ResultTimeoutError extends PackageError {
  static {
    brandClass(this, 'ResultTimeoutError');
  }

  constructor(key: string, timeoutMs: number, isKnown = true) {
    super(
      isKnown
        ? `The sale "${key}" has no result after ${timeoutMs} ms. The outbox is still working on it.`
        : `No sale has the key "${key}" after ${timeoutMs} ms, so nothing is sent. Await outbox.add with this key, and commit its transaction.`,
    );
  }
}
