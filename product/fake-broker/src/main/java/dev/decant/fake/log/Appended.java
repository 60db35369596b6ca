package dev.decant.fake.log;

/**
 * A batch is in the log.
 *
 * @param baseOffset offset of its first record
 * @param endOffset offset after its last record
 * @param logAppendTime the timestamp that the broker has given it, -1 if it has its producer's
 * @param isDuplicate whether it was there already: a retry of its producer
 */
public record Appended(long baseOffset, long endOffset, long logAppendTime, boolean isDuplicate) {}
