package dev.decant.fake.share;

import dev.decant.kafka.protocol.Uuid;

/** A partition by the id of its topic. */
record ShareKey(Uuid topicId, int partition) {}
