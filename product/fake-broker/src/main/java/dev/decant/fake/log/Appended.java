package dev.decant.fake.log;

/**
 * The result of an append.
 *
 * @param baseOffset offset of the first record
 * @param endOffset offset after the last record
 * @param logAppendTime timestamp that the broker has set, -1 if the batch has its producer's
 * @param isDuplicate true if the log had the batch already: a retry of its producer
 */
public record Appended(long baseOffset, long endOffset, long logAppendTime, boolean isDuplicate) {}
