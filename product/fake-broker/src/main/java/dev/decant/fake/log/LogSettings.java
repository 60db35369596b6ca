package dev.decant.fake.log;

/**
 * The settings of a topic that its logs enforce.
 *
 * @param maxMessageBytes size of the largest batch, {@code max.message.bytes}
 * @param isCompacted true if each record needs a key, {@code cleanup.policy}
 * @param isLogAppendTime true if the broker sets the timestamps, {@code message.timestamp.type}
 * @param timestampBeforeMaxMs largest difference of an older timestamp to the broker's time
 * @param timestampAfterMaxMs largest difference of a newer timestamp
 * @param segmentBytes largest size of a segment, {@code segment.bytes}
 * @param segmentMs longest time for which a segment grows, {@code segment.ms}
 */
public record LogSettings(int maxMessageBytes, boolean isCompacted, boolean isLogAppendTime, long timestampBeforeMaxMs,
    long timestampAfterMaxMs, int segmentBytes, long segmentMs) {}
