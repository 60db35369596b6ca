package dev.decant.fake.log;

/**
 * The settings of a topic that decide what its logs take.
 *
 * @param maxMessageBytes the size of the largest batch, {@code max.message.bytes}
 * @param isCompacted whether each record needs a key, {@code cleanup.policy}
 * @param isLogAppendTime whether the broker sets the timestamps, {@code message.timestamp.type}
 * @param timestampBeforeMaxMs how much older than the broker's time a timestamp may be
 * @param timestampAfterMaxMs how much newer it may be
 * @param segmentBytes how large a segment becomes, {@code segment.bytes}
 * @param segmentMs how long a segment grows, {@code segment.ms}
 */
public record LogSettings(int maxMessageBytes, boolean isCompacted, boolean isLogAppendTime, long timestampBeforeMaxMs,
    long timestampAfterMaxMs, int segmentBytes, long segmentMs) {}
