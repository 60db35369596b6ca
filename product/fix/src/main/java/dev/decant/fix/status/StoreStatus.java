package dev.decant.fix.status;

import java.time.Instant;

/**
 * The status of a session's store.
 *
 * @param kind {@code memory}, {@code file}, {@code async-file}, or the class of another store
 * @param created when the numbers began with 1
 * @param usedBytes the size of its messages; for an asynchronous store, of those that wait for its thread. Negative if
 *     unknown
 * @param maxBytes its capacity: the ring of a memory or asynchronous store, or the present files of a file store, which
 *     adds files. Negative if unknown
 */
public record StoreStatus(String kind, Instant created, long usedBytes, long maxBytes) {}
