package dev.decant.contrib.openmessaging;

import dev.decant.buffer.BytesReader;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.RecordHandler;
import io.openmessaging.benchmark.driver.BenchmarkConsumer;
import io.openmessaging.benchmark.driver.ConsumerCallback;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls on a thread of its own, and hands each value to the harness as a view of the received bytes. Commits after each
 * poll in the background, as the harness's own driver for Kafka does.
 */
final class DecantBenchmarkConsumer implements BenchmarkConsumer, RecordHandler<String, byte[]> {
  private static final Logger LOG = LoggerFactory.getLogger(DecantBenchmarkConsumer.class);
  private static final Duration POLL = Duration.ofMillis(100);

  private final Consumer<String, byte[]> consumer;
  private final ConsumerCallback callback;
  private final boolean commits;
  private final Thread thread;
  private volatile boolean closing;
  /** The buffer of the last record, and a view of it with a position and limit of its own. The polling thread only. */
  private @Nullable ByteBuffer received;
  private ByteBuffer view = ByteBuffer.allocate(0);

  DecantBenchmarkConsumer(Consumer<String, byte[]> consumer, ConsumerCallback callback, boolean commits) {
    this.consumer = consumer;
    this.callback = callback;
    this.commits = commits;
    thread = Thread.ofPlatform().name("decant-benchmark-consumer").unstarted(this::poll);
  }

  void start() {
    thread.start();
  }

  private void poll() {
    while (!closing) {
      try {
        if (consumer.poll(POLL, this) > 0 && commits) {
          consumer.commitAsync(null);
        }
      } catch (KafkaException e) {
        LOG.error("a poll has failed; the next one follows", e);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  @Override
  public void onRecord(ConsumerRecord<String, byte[]> record) {
    BytesReader value = record.valueBytes();
    ByteBuffer buffer = value.buffer();
    if (buffer != received) { // one view for all records of a response
      received = buffer;
      view = buffer.duplicate();
    }
    callback.messageReceived(view.limit(value.limit()).position(value.position()), record.timestamp());
  }

  /** {@inheritDoc} Closing it again does nothing. */
  @Override
  public void close() throws InterruptedException {
    closing = true;
    consumer.wakeup();
    thread.join();
    consumer.close();
  }
}
