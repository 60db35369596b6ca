package dev.decant.kafka.work.apache;

import dev.decant.kafka.Header;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.work.bridge.CopySink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/** Stores copies with a producer that does not block: {@code max.block.ms} is 0. */
final class ApacheSink implements CopySink {
  /** A producer that takes nothing for this time is a problem that is reported. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Producer<byte[], byte[]> producer;
  private boolean isRefusing;
  private long refusingSince;

  ApacheSink(Producer<byte[], byte[]> producer) {
    this.producer = producer;
  }

  @Override
  public boolean send(String topic, byte @Nullable [] key, byte @Nullable [] value, SendOptions options,
      SendListener outcome) {
    List<org.apache.kafka.common.header.Header> headers = new ArrayList<>();
    for (Header header : options.headers()) {
      headers.add(new RecordHeader(header.key(), header.value()));
    }
    Outcome callback = new Outcome(outcome);
    try {
      ProducerRecord<byte[], byte[]> copy = new ProducerRecord<>(topic,
          options.partition() < 0 ? null : options.partition(), options.timestamp() < 0 ? null : options.timestamp(),
          key,
          value, headers);
      Future<RecordMetadata> unused = producer.send(copy, callback);
    } catch (TimeoutException e) {
      return refused(e);
    } catch (RuntimeException e) {
      throw ApacheFailures.of(e);
    }
    Exception early = callback.afterSend();
    if (early instanceof TimeoutException late) {
      return refused(late);
    }
    if (early != null) {
      throw ApacheFailures.of(early);
    }
    isRefusing = false;
    return true;
  }

  /** Handles a send that the producer has no memory for, or whose partitions it does not know yet. */
  private boolean refused(TimeoutException cause) {
    long now = System.nanoTime();
    if (!isRefusing) {
      isRefusing = true;
      refusingSince = now;
    } else if (now - refusingSince >= PATIENCE_NANOS) {
      isRefusing = false;
      throw new KafkaTimeoutException("the producer takes no record: " + cause.getMessage(), cause);
    }
    return false;
  }

  @Override
  public void close(Duration timeout) {
    producer.close(timeout);
  }

  /**
   * Takes the outcome of a send. If the record was not accepted, Apache's producer calls this within the send, on the
   * thread of the send.
   */
  private static final class Outcome implements Callback {
    private final SendListener listener;
    private final Thread sender = Thread.currentThread();
    /** True until the send has returned. Used by the sending thread only. */
    private boolean isSending = true;
    /** Why the record was not accepted; null if it was. Used by the sending thread only. */
    private @Nullable Exception early;

    Outcome(SendListener listener) {
      this.listener = listener;
    }

    @Nullable
    Exception afterSend() {
      isSending = false;
      return early;
    }

    @Override
    public void onCompletion(@Nullable RecordMetadata stored, @Nullable Exception error) {
      if (error != null && sender.equals(Thread.currentThread()) && isSending) {
        early = error;
      } else if (error != null) {
        listener.onFailure(0, ApacheFailures.of(error));
      } else if (stored != null) {
        listener.onAck(0, stored.partition(), stored.offset(), stored.timestamp());
      }
    }
  }
}
