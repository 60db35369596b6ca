package dev.decant.kafka.cluster;

import java.util.Set;

/**
 * The content of one Metadata request. Immutable.
 *
 * @param topics by name
 * @param everything true if these are all topics that users need; otherwise the response adds to what is known
 * @param mayCreate true if brokers may create missing ones of these topics
 */
record RequestedTopics(Set<String> topics, boolean everything, boolean mayCreate) {}
