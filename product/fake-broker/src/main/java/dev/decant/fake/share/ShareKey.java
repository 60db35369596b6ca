package dev.decant.fake.share;

import dev.decant.kafka.protocol.Uuid;

/**
 * A partition by the id of its topic, as share groups name it.
 *
 * @param topicId the topic
 * @param partition the number
 */
record ShareKey(Uuid topicId, int partition) {}
