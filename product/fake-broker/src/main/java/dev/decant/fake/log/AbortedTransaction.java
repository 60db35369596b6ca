package dev.decant.fake.log;

/**
 * An aborted transaction.
 *
 * @param producerId id of its producer
 * @param firstOffset offset of its first record in the log
 * @param lastOffset offset of its marker
 */
public record AbortedTransaction(long producerId, long firstOffset, long lastOffset) {}
