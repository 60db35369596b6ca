package dev.decant.kafka.group;

import org.jspecify.annotations.Nullable;

/**
 * Settings of a member that its requests contain.
 *
 * @param groupId Kafka's {@code group.id}
 * @param instanceId Kafka's {@code group.instance.id} (KIP-345); null for a dynamic member
 * @param rack Kafka's {@code client.rack}; null for none
 * @param assignor Kafka's {@code group.remote.assignor}; null for the broker's first
 * @param revocationTimeoutMillis how long the broker waits for a revocation
 */
public record GroupSettings(String groupId, @Nullable String instanceId, @Nullable String rack,
    @Nullable String assignor, int revocationTimeoutMillis) {}
