package dev.decant.kafka.apache;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.loop.EventLoop;
import java.util.Set;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;

/** The objects that the records of one producer share. */
final class SendContext<K, V> {
  private static final long NO_TIMESTAMP = -1;

  private final EventLoop loop;
  private final ProducerInterceptors<K, V> interceptors;
  private final TransactionCalls transactions;

  // The last failure and its translation. Owner of the loop only. All records of a batch fail with one error.
  private @Nullable KafkaException lastError;
  private @Nullable RuntimeException lastFailure;

  SendContext(EventLoop loop, ProducerInterceptors<K, V> interceptors, TransactionCalls transactions) {
    this.loop = loop;
    this.interceptors = interceptors;
    this.transactions = transactions;
  }

  EventLoop loop() {
    return loop;
  }

  ProducerInterceptors<K, V> interceptors() {
    return interceptors;
  }

  /** Returns Apache's exception for a failed record, the same for all records of a batch. Owner of the loop only. */
  @SuppressWarnings("ReferenceEquality") // the very error
  RuntimeException failure(String topic, KafkaException error) {
    RuntimeException failure = lastFailure;
    if (failure == null || lastError != error) {
      failure = error.code() == ErrorCode.TOPIC_AUTHORIZATION_FAILED && !(error instanceof TransactionException)
          ? refused(topic, error)
          : transactions.recordFailure(error);
      lastError = error;
      lastFailure = failure;
    }
    return failure;
  }

  private static RuntimeException refused(String topic, KafkaException error) {
    TopicAuthorizationException refused = new TopicAuthorizationException(Set.of(topic));
    refused.initCause(error);
    return refused;
  }

  /** Returns the metadata that interceptors and callbacks get for a record that was not stored. */
  RecordMetadata notSent(TopicPartition partition) {
    return new RecordMetadata(partition, -1, -1, NO_TIMESTAMP, -1, -1);
  }
}
