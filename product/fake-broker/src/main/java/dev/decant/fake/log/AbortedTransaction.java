package dev.decant.fake.log;

/**
 * A transaction that was aborted.
 *
 * @param producerId whose it was
 * @param firstOffset offset of its first record in the log
 * @param lastOffset offset of its marker
 */
public record AbortedTransaction(long producerId, long firstOffset, long lastOffset) {}
