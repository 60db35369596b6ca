package dev.decant.kafka.apache;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/** The interceptors of a producer, in their order. The exception of one is logged and does not affect the others. */
final class ProducerInterceptors<K, V> {
  private static final Logger LOGGER = System.getLogger(ProducerInterceptors.class.getName());

  private final List<ProducerInterceptor<K, V>> all;
  /** False after kafka-clients turned out to be 4.0, whose interceptors get no headers. */
  private volatile boolean takeHeaders = true;

  ProducerInterceptors(List<ProducerInterceptor<K, V>> all) {
    this.all = List.copyOf(all);
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  ProducerRecord<K, V> onSend(ProducerRecord<K, V> record) {
    ProducerRecord<K, V> intercepted = record;
    for (ProducerInterceptor<K, V> interceptor : all) {
      try {
        intercepted = interceptor.onSend(intercepted);
      } catch (Exception e) {
        LOGGER.log(Level.WARNING, "the interceptor " + interceptor + " failed in onSend; its record is left out", e);
      }
    }
    return intercepted;
  }

  void onAcknowledgement(@Nullable RecordMetadata metadata, @Nullable Exception failure, Headers headers) {
    for (ProducerInterceptor<K, V> interceptor : all) {
      try {
        acknowledge(interceptor, metadata, failure, headers);
      } catch (Throwable e) { // the application's callback must still be called
        LOGGER.log(Level.WARNING, "the interceptor " + interceptor + " failed in onAcknowledgement", e);
      }
    }
  }

  private void acknowledge(ProducerInterceptor<K, V> interceptor, @Nullable RecordMetadata metadata,
      @Nullable Exception failure, Headers headers) {
    if (takeHeaders) {
      try {
        interceptor.onAcknowledgement(metadata, failure, headers);
        return;
      } catch (NoSuchMethodError e) {
        takeHeaders = false;
      }
    }
    interceptor.onAcknowledgement(metadata, failure);
  }

  /**
   * Reports a record that was not sent. Its headers stay as they are for another attempt: interceptors get a copy that
   * cannot be changed.
   */
  void onSendError(@Nullable ProducerRecord<K, V> record, @Nullable RecordMetadata where, Exception failure) {
    if (all.isEmpty()) {
      return;
    }
    RecordHeaders headers = record == null ? new RecordHeaders() : new RecordHeaders(record.headers());
    headers.setReadOnly();
    onAcknowledgement(where, failure, headers);
  }

  void close() {
    for (ProducerInterceptor<K, V> interceptor : all) {
      try {
        interceptor.close();
      } catch (Throwable e) { // other parts must still be closed
        LOGGER.log(Level.ERROR, "closing the interceptor " + interceptor + " failed", e);
      }
    }
  }
}
