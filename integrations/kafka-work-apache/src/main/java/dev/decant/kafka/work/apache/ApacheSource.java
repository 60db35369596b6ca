package dev.decant.kafka.work.apache;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.CommitListener;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.work.bridge.RecordSource;
import dev.decant.kafka.work.bridge.SourceHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Apache's consumer as a source. The work may have no room for records that the consumer returns. The source keeps
 * these, and pauses their partition in the consumer until the work has taken them. The thread that polls calls all
 * methods but {@link #wakeup}.
 */
final class ApacheSource<K, V> implements RecordSource<K, V> {
  /** The consumer of KIP-848 in kafka-clients 3.9 calls no listener of a rebalance while a poll waits. */
  private static final Duration LONGEST_POLL = Duration.ofSeconds(1);

  private final Consumer<byte[], byte[]> consumer;
  private final SourceCursor<K, V> cursor;
  private final Map<org.apache.kafka.common.TopicPartition, SourcePartition> partitions = new HashMap<>();
  private final List<SourcePartition> handedOut = new ArrayList<>();
  private final SourceRebalances rebalances;
  private int turn;

  ApacheSource(Consumer<byte[], byte[]> consumer, RebalanceListener listener, Decoder<? extends K> keys,
      Decoder<? extends V> values) {
    this.consumer = consumer;
    this.cursor = new SourceCursor<>(keys, values);
    this.rebalances = new SourceRebalances(partitions, listener);
  }

  void subscribe(Collection<String> topics) {
    consumer.subscribe(topics, rebalances);
  }

  @Override
  public void poll(Duration timeout, SourceHandler<K, V> handler) throws InterruptedException {
    boolean isTaken = handOut(handler);
    boolean isLeft = hold();
    ConsumerRecords<byte[], byte[]> records = receive(isTaken || isLeft ? Duration.ZERO : shorter(timeout));
    rebalances.throwFailure();
    for (org.apache.kafka.common.TopicPartition id : records.partitions()) {
      SourcePartition partition = partitions.get(id);
      if (partition != null) {
        partition.receive(records.records(id));
      }
    }
    if (records.isEmpty()) {
      advance(handler);
    } else {
      handOut(handler);
    }
  }

  private static Duration shorter(Duration timeout) {
    return timeout.compareTo(LONGEST_POLL) < 0 ? timeout : LONGEST_POLL;
  }

  /** Hands out records that were received. Returns true if the work has taken one. */
  private boolean handOut(SourceHandler<K, V> handler) {
    for (SourcePartition partition : partitions.values()) {
      if (partition.hasRecords() && !partition.isPaused) {
        handedOut.add(partition);
      }
    }
    // each partition is the first at times: there may be room for records of one only
    Collections.rotate(handedOut, turn++);
    int taken = 0;
    for (SourcePartition partition : handedOut) {
      cursor.begin(partition);
      try {
        handler.onRecords(cursor);
      } finally {
        taken += cursor.end();
      }
    }
    handedOut.clear();
    return taken > 0;
  }

  /**
   * Pauses partitions in the consumer whose records would not be taken. Returns true if the work has no room at all.
   */
  private boolean hold() {
    boolean isLeft = false;
    for (SourcePartition partition : partitions.values()) {
      isLeft |= partition.hasRecords() && !partition.isPaused;
    }
    List<org.apache.kafka.common.TopicPartition> paused = new ArrayList<>();
    List<org.apache.kafka.common.TopicPartition> resumed = new ArrayList<>();
    for (SourcePartition partition : partitions.values()) {
      boolean isHeld = isLeft || partition.isPaused || partition.hasRecords();
      if (isHeld != partition.isHeld) {
        partition.isHeld = isHeld;
        (isHeld ? paused : resumed).add(partition.apaches);
      }
    }
    if (!paused.isEmpty()) {
      consumer.pause(paused);
    }
    if (!resumed.isEmpty()) {
      consumer.resume(resumed);
    }
    return isLeft;
  }

  private ConsumerRecords<byte[], byte[]> receive(Duration timeout) throws InterruptedException {
    try {
      try {
        return consumer.poll(timeout);
      } catch (WakeupException e) {
        return consumer.poll(Duration.ZERO); // else wake-ups, each before the first fetch, would keep records away
      }
    } catch (WakeupException e) {
      return ConsumerRecords.empty();
    } catch (InterruptException e) {
      throw ApacheFailures.interrupted(e);
    } catch (RuntimeException e) {
      throw ApacheFailures.of(e);
    }
  }

  /**
   * Reports offsets without records, such as transaction markers. The consumer hands out nothing for them, but its
   * position moves.
   */
  private void advance(SourceHandler<K, V> handler) {
    for (SourcePartition partition : List.copyOf(partitions.values())) {
      if (partition.position >= 0 && !partition.hasRecords() && !partition.isPaused) {
        long position = position(partition);
        if (position > partition.position) {
          partition.position = position;
          cursor.begin(partition);
          handler.onPositionAdvanced(cursor);
          int unused = cursor.end();
        }
      }
    }
  }

  private long position(SourcePartition partition) {
    try {
      return consumer.position(partition.apaches, Duration.ZERO);
    } catch (TimeoutException | WakeupException | InterruptException | IllegalStateException e) {
      return SourcePartition.UNKNOWN; // a later poll asks again, and waits for nothing if the thread is interrupted
    } catch (RuntimeException e) {
      throw ApacheFailures.of(e);
    }
  }

  /** Ends a poll. Any thread. */
  @Override
  public void wakeup() {
    consumer.wakeup();
  }

  private SourcePartition assigned(String topic, int partition) {
    SourcePartition found = partitions.get(new org.apache.kafka.common.TopicPartition(topic, partition));
    if (found == null) {
      throw new IllegalStateException(topic + "-" + partition + " is not assigned");
    }
    return found;
  }

  @Override
  public void pause(String topic, int partition) {
    SourcePartition of = assigned(topic, partition);
    of.isPaused = true;
    of.turns++;
  }

  @Override
  public void resume(String topic, int partition) {
    assigned(topic, partition).isPaused = false;
  }

  @Override
  public void seek(String topic, int partition, long offset) {
    SourcePartition of = assigned(topic, partition);
    of.drop();
    of.position = offset;
    of.epoch = -1;
    consumer.seek(of.apaches, offset);
  }

  @Override
  public void seekToBeginning(List<TopicPartition> ids) {
    List<org.apache.kafka.common.TopicPartition> all = new ArrayList<>();
    for (TopicPartition id : ids) {
      SourcePartition of = assigned(id.topic(), id.partition());
      of.drop();
      of.position = SourcePartition.UNKNOWN;
      all.add(of.apaches);
    }
    consumer.seekToBeginning(all);
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> committed(Collection<TopicPartition> ids, Duration timeout)
      throws InterruptedException {
    Set<org.apache.kafka.common.TopicPartition> asked = new HashSet<>();
    ids.forEach(id -> asked.add(ApacheOffsets.of(id)));
    Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
    awake(timeout, left -> consumer.committed(asked, left)).forEach((apaches, offset) -> {
      if (offset != null) {
        committed.put(ApacheOffsets.decants(apaches), ApacheOffsets.decants(offset));
        SourcePartition of = partitions.get(apaches);
        if (of != null && of.position == SourcePartition.UNKNOWN) {
          of.position = offset.offset();
        }
      }
    });
    return committed;
  }

  @Override
  public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, CommitListener listener) {
    CommitOutcome outcome = new CommitOutcome(offsets, listener);
    try {
      consumer.commitAsync(ApacheOffsets.of(offsets), outcome);
    } catch (RuntimeException e) {
      outcome.end(ApacheFailures.of(e));
    }
  }

  /**
   * Passes on the first outcome of a commit. Apache's consumer may throw after it has queued the request, for instance
   * on an interrupted thread, and calls back all the same.
   */
  private static final class CommitOutcome implements OffsetCommitCallback {
    private final Map<TopicPartition, OffsetAndMetadata> offsets;
    private final CommitListener listener;
    private boolean hasEnded;

    CommitOutcome(Map<TopicPartition, OffsetAndMetadata> offsets, CommitListener listener) {
      this.offsets = offsets;
      this.listener = listener;
    }

    @Override
    public void onComplete(
        Map<org.apache.kafka.common.TopicPartition, org.apache.kafka.clients.consumer.OffsetAndMetadata> committed,
        @Nullable Exception error) {
      end(error == null ? null : ApacheFailures.of(error));
    }

    void end(@Nullable KafkaException error) {
      if (!hasEnded) {
        hasEnded = true;
        listener.onCommitted(offsets, error);
      }
    }
  }

  @Override
  public void commit(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) throws InterruptedException {
    var all = ApacheOffsets.of(offsets);
    boolean unused = awake(timeout, left -> {
      consumer.commitSync(all, left);
      return true;
    });
  }

  /** Makes a call, and makes it again if a wake-up has ended it: wake-ups are for polls. */
  private <T> T awake(Duration timeout, Function<Duration, T> call) throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      try {
        return call.apply(left);
      } catch (WakeupException e) {
        if (left.isZero()) {
          throw new KafkaTimeoutException("no response within " + timeout, e);
        }
      } catch (InterruptException e) {
        throw ApacheFailures.interrupted(e);
      } catch (RuntimeException e) {
        throw ApacheFailures.of(e);
      }
    }
  }

  @Override
  public long currentLag(String topic, int partition) {
    SourcePartition of = partitions.get(new org.apache.kafka.common.TopicPartition(topic, partition));
    if (of == null) {
      return -1;
    }
    OptionalLong lag;
    try {
      lag = consumer.currentLag(of.apaches);
    } catch (IllegalStateException e) { // the partition was revoked, and the listener was not called yet
      return -1;
    }
    return lag.isPresent() ? lag.getAsLong() + of.left() : -1;
  }

  @Override
  public GroupMetadata groupMetadata() {
    throw new UnsupportedOperationException("Apache's consumer has no part in Decant's transactions");
  }

  @Override
  public void close() {
    try {
      consumer.close();
    } catch (InterruptException e) { // the consumer is closed all the same, and the thread stays interrupted
      throw new KafkaException(ErrorCode.NONE, "the close of the consumer was interrupted", e);
    } catch (RuntimeException e) {
      throw ApacheFailures.of(e);
    }
  }
}
