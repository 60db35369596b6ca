package dev.decant.kafka.consumer;

import dev.decant.kafka.group.GroupSettings;
import dev.decant.kafka.group.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer was opened with, as far as its group is concerned.
 *
 * @param member what is told to the group
 * @param subscription what to read; null where partitions are assigned explicitly
 * @param listener hears of partitions that come and go
 * @param autoCommitNanos how often what was processed is committed; 0 for never
 * @param revocationTimeoutNanos how long the group waits for partitions to be given back
 * @param maxPollIntervalNanos how long the application may not poll before others get its partitions; 0 for ever
 * @param apiTimeoutNanos how long a call without a time-out of its own may take
 */
record GroupOptions(GroupSettings member, @Nullable Subscription subscription, RebalanceListener listener,
    long autoCommitNanos, long revocationTimeoutNanos, long maxPollIntervalNanos, long apiTimeoutNanos) {}
