package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;

/**
 * A record was not taken, since the producer of its topic was closed for being idle. The {@link AnyTopicProducer} that
 * has closed it opens another one.
 */
final class RetiredException extends KafkaException {
  private static final long serialVersionUID = 1;

  RetiredException(String topic) {
    super(ErrorCode.NONE, "the producer for " + topic + " was idle for long, and is closed");
  }
}
