package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.cluster.TopicName;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.work.bridge.WorkBridge;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Work on the records of a consumer group in parallel: more records at once than there are partitions, in the
 * {@link Order} that is asked for, with retries, dead letters, and commits that neither lose a record nor wait for the
 * slowest.
 *
 * <pre>
 * try (Work work = Work.on(client, Serdes.string(), orderSerde).group("billing").subscribe("orders")
 *     .order(Order.BY_KEY).concurrency(200).onVirtualThreads()
 *     .retry(Retry.inPlace(3, Duration.ofMillis(200))).deadLetters("orders-dead")
 *     .open(record -&gt; bill(record.key(), record.value()))) {
 *   work.awaitClose();
 * }
 * </pre>
 *
 * <p>A record is done when its handler returns; the group's offset stays before the oldest record that is not done.
 * Records that are done behind it are kept in the offset's metadata, so a restart or a rebalance repeats only what was
 * unfinished. A record may be handled twice after a kill, or if a handler outlasts a rebalance; it is never lost.
 *
 * <p>Any thread may call any method.
 */
public final class Work implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration STATUS_TIMEOUT = Duration.ofSeconds(5);

  private final WorkControl control;

  Work(WorkControl control) {
    this.control = control;
  }

  /**
   * Begins to set up work.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param client reads, commits and writes dead letters; closed after the work
   * @param keys reads keys, on the threads of handlers
   * @param values reads values, on the threads of handlers
   * @return a builder
   */
  public static <K, V> WorkBuilder<K, V> on(KafkaClient client, Decoder<? extends K> keys,
      Decoder<? extends V> values) {
    return new WorkBuilder<>(Objects.requireNonNull(client, "client"), Objects.requireNonNull(keys, "keys"),
        Objects.requireNonNull(values, "values"));
  }

  /**
   * Begins to set up work on a client that is not Decant's. For modules that bridge to one.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param bridge makes what the work needs of the client
   * @param keys reads keys, on the threads of handlers
   * @param values reads values, on the threads of handlers
   * @return a builder
   */
  public static <K, V> WorkBuilder<K, V> on(WorkBridge<K, V> bridge, Decoder<? extends K> keys,
      Decoder<? extends V> values) {
    return new WorkBuilder<>(Objects.requireNonNull(bridge, "bridge"), Objects.requireNonNull(keys, "keys"),
        Objects.requireNonNull(values, "values"));
  }

  /**
   * Begins to set up a run that sends dead letters back to the topics that they come from.
   *
   * @param client reads, sends and commits; closed after the run
   * @param deadLetters the topic with the dead letters
   * @return settings, and the run
   * @throws IllegalArgumentException if a topic cannot have this name
   */
  public static Redrive redrive(KafkaClient client, String deadLetters) {
    return new Redrive(Objects.requireNonNull(client, "client"), TopicName.requireLegal("deadLetters", deadLetters));
  }

  /** Takes no more records until {@link #resume}, and works on those that it has. It stays in its group. */
  public void pause() {
    control.pause(true);
  }

  /** Ends what {@link #pause} began. */
  public void resume() {
    control.pause(false);
  }

  /**
   * The state of the work.
   *
   * @return a snapshot
   * @throws IllegalStateException if the polling thread calls it, in a listener or handler
   * @throws KafkaTimeoutException if the polling thread does not respond within five seconds
   * @throws InterruptedException if the thread was interrupted
   */
  public WorkStatus status() throws InterruptedException {
    requireElsewhere("status");
    try {
      return control.status().get(STATUS_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new KafkaTimeoutException("the thread that polls for the work has not answered within " + STATUS_TIMEOUT,
          e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /**
   * Takes no more records, and waits until all that were taken are done, those that wait for a retry in place too. It
   * stays paused. Records that wait in retry topics stay there.
   *
   * @param timeout how long to wait
   * @return true if all are done
   * @throws IllegalStateException if the polling thread calls it, in a listener or handler
   * @throws InterruptedException if the thread was interrupted
   */
  public boolean drain(Duration timeout) throws InterruptedException {
    requireElsewhere("drain");
    pause();
    return control.awaitEmpty(timeout);
  }

  /**
   * Waits until the work has ended: by {@link #close()}, or because it has failed.
   *
   * @throws IllegalStateException if the polling thread calls it, in a listener or handler
   * @throws KafkaException if the work has failed; another exception or error of a handler is its cause
   * @throws InterruptedException if the thread was interrupted
   */
  public void awaitClose() throws InterruptedException {
    requireElsewhere("awaitClose");
    try {
      control.end().get();
    } catch (ExecutionException e) {
      throw failure(Objects.requireNonNullElse(e.getCause(), e));
    }
  }

  private void requireElsewhere(String what) {
    if (control.isLoop()) {
      throw new IllegalStateException(what + ": not from within a listener or a handler on the thread that polls, which"
          + " would wait for itself; use another thread");
    }
  }

  private static KafkaException failure(Throwable cause) {
    return new WorkFailedException(cause);
  }

  /** {@link #close(Duration)} within 30 seconds. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /**
   * Takes no more records, finishes those that were taken, commits, and leaves the group. When the time is over,
   * handlers that run are interrupted, and records that are not done are not committed. The call waits for all of that.
   * It may take 10 seconds longer than the time, for copies that are not stored. A second call only waits.
   * {@link #awaitClose} and the log say if the work has failed. On the polling thread, in a listener or a handler, the
   * call only begins the end and does not wait. A handler on another thread would wait for itself until the time is
   * over.
   *
   * @param timeout for records that were taken
   */
  public void close(Duration timeout) {
    control.close(Objects.requireNonNull(timeout, "timeout"));
    control.awaitEnd();
  }
}
