package dev.decant.kafka.cluster;

import java.util.Set;

/**
 * What one Metadata request asks for. Immutable.
 *
 * @param topics by name
 * @param everything whether these are all topics that anybody needs; if not, the response adds to what is known
 * @param mayCreate whether brokers may create those that do not exist
 */
record MetadataQuestion(Set<String> topics, boolean everything, boolean mayCreate) {}
