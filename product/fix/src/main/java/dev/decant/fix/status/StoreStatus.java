package dev.decant.fix.status;

import java.time.Instant;

/**
 * The store of a session.
 *
 * @param kind {@code memory}, {@code file}, {@code async-file}, or the class of a store of the user's
 * @param created when the numbers began with 1
 * @param usedBytes what its messages take; of an asynchronous store, what waits for its thread. Negative if unknown
 * @param maxBytes what it can take: the ring of a memory or asynchronous store, the present files of a file store,
 *     which adds files. Negative if unknown
 */
public record StoreStatus(String kind, Instant created, long usedBytes, long maxBytes) {}
