package dev.decant.lab.driver;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.WakeupException;

/** A plain loop over Apache's consumer: it polls, handles one record after another, and commits automatically. */
final class LoopHandlers implements HandlerRuntime {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final Consumer<byte[], byte[]> consumer;
  private final RecordTask task;
  private final long pauseMillis;
  private final Thread thread;
  private volatile boolean ended;

  LoopHandlers(WorkSpec spec, RecordTask task) {
    this.task = task;
    pauseMillis = spec.load().handlers().pauseMillis();
    Map<String, Object> settings = HandlerRuntime.apacheSettings(spec);
    consumer = ApacheClients.consumer(spec, settings);
    consumer.subscribe(spec.topics().names());
    thread = Thread.ofPlatform().name("loop").daemon(true).start(this::loop);
  }

  private void loop() {
    try (consumer) {
      while (!ended) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          handle(record.value());
        }
      }
    } catch (WakeupException e) {
      // close() wakes the consumer up
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void handle(byte[] value) throws InterruptedException {
    while (!ended) {
      try {
        ByteBuffer read = ByteBuffer.wrap(value);
        task.handle(read.getInt(), read.getInt(), read.getLong());
        return;
      } catch (RecordTask.TaskFailure e) {
        Thread.sleep(pauseMillis); // then handle the same record again
      }
    }
  }

  @Override
  public void close() {
    ended = true;
    consumer.wakeup();
    try {
      thread.join(CLOSE_TIMEOUT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
