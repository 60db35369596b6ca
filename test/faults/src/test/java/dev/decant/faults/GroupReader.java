package dev.decant.faults;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * A member of a group that reads a topic on a thread of its own. It goes on after an error; a consumer that has thrown
 * a number of errors in a row is replaced by another one, as an application would do.
 */
final class GroupReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration FETCH_MAX_WAIT = Duration.ofMillis(100);
  private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration HEARTBEAT_INTERVAL = Duration.ofMillis(500);
  /** Longer than ten heartbeats of a broker's interval, by which assignments are mended. */
  private static final Duration PATIENCE = Duration.ofSeconds(70);
  private static final Duration END_TIMEOUT = Duration.ofSeconds(90);
  private static final int ERRORS_IN_A_ROW = 10;

  private final KafkaClient client;
  private final String topic;
  private final GroupProtocol protocol;
  private final Thread thread;
  /** The largest sequence that was handed out, plus 1, of each partition and sender. Written by the thread. */
  private final AtomicLongArray next = new AtomicLongArray(Workload.PARTITIONS * Workload.SENDERS);
  private final Queue<String> wrongRecords = new ConcurrentLinkedQueue<>();
  private final AtomicInteger replaced = new AtomicInteger();
  private final AtomicInteger errors = new AtomicInteger();
  private volatile @Nullable Throwable lastError;
  /** What ended the thread. */
  private volatile @Nullable Throwable failure;
  private volatile boolean isToBeReplaced;
  private volatile boolean stopping;

  GroupReader(KafkaClient client, String topic, GroupProtocol protocol) {
    this.client = client;
    this.topic = topic;
    this.protocol = protocol;
    thread = Thread.ofPlatform().name("group-reader").start(this::run);
  }

  private void run() {
    try {
      while (!stopping) {
        Consumer<byte[], byte[]> consumer = open();
        try {
          pollUntilItFails(consumer);
        } finally {
          consumer.close(POLL, GroupMembershipOperation.LEAVE_GROUP);
        }
      }
    } catch (Throwable e) {
      failure = e;
      Waits.changed();
    }
  }

  private Consumer<byte[], byte[]> open() {
    var builder = client.consumer(Serdes.bytes(), Serdes.bytes()).group(topic).groupProtocol(protocol)
        .subscribe(topic).offsetReset(OffsetReset.EARLIEST).fetchMaxWait(FETCH_MAX_WAIT);
    if (protocol == GroupProtocol.CLASSIC) {
      builder.sessionTimeout(SESSION_TIMEOUT).heartbeatInterval(HEARTBEAT_INTERVAL);
    }
    return builder.open();
  }

  private void pollUntilItFails(Consumer<byte[], byte[]> consumer) throws InterruptedException {
    int inARow = 0;
    while (!stopping && inARow < ERRORS_IN_A_ROW && !isToBeReplaced) {
      try {
        if (consumer.poll(POLL, this::see) > 0) {
          inARow = 0;
          Waits.changed();
        }
      } catch (KafkaException e) {
        inARow++;
        errors.incrementAndGet();
        lastError = e;
      }
    }
    if (!stopping) {
      replaced.incrementAndGet();
      isToBeReplaced = false;
    }
  }

  private void see(ConsumerRecord<byte[], byte[]> record) {
    Numbered numbered = Numbered.decode(record.value());
    if (numbered == null) {
      wrongRecords.add(record.topic() + "-" + record.partition() + " at " + record.offset());
      return;
    }
    int partition = record.partition();
    if (partition < Workload.PARTITIONS) {
      next.accumulateAndGet(partition * Workload.SENDERS + numbered.sender(), numbered.sequence() + 1, Math::max);
    }
  }

  /**
   * Until records of each partition were seen that were sent later than those of these numbers by sender. A member that
   * has believed a wrong assignment cannot know; an application that sees no records opens another consumer, and that
   * one must read.
   */
  void awaitRecordsAfter(int[] sent) throws InterruptedException {
    if (!Waits.isTrueWithin(PATIENCE, () -> hasSeenAllAfter(sent))) {
      isToBeReplaced = true;
      Waits.until("records of each partition after " + Arrays.toString(sent) + " at " + this,
          () -> hasSeenAllAfter(sent));
    }
  }

  private boolean hasSeenAllAfter(int[] sent) {
    if (failure != null) {
      throw new AssertionError("the reader has ended", failure);
    }
    for (int p = 0; p < Workload.PARTITIONS; p++) {
      if (!hasSeenAfter(p, sent)) {
        return false;
      }
    }
    return true;
  }

  private boolean hasSeenAfter(int partition, int[] sent) {
    for (int sender = 0; sender < sent.length; sender++) {
      if (next.get(partition * Workload.SENDERS + sender) > sent[sender]) {
        return true;
      }
    }
    return false;
  }

  /** Records that nobody has sent. */
  Queue<String> wrongRecords() {
    return wrongRecords;
  }

  @Override
  public String toString() {
    return errors + " errors, " + replaced + " consumers replaced, the last error " + lastError;
  }

  @Override
  public void close() {
    stopping = true;
    try {
      if (!thread.join(END_TIMEOUT)) {
        throw new AssertionError("the reader hangs at " + List.of(thread.getStackTrace()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (failure != null) {
      throw new AssertionError("the reader has ended", failure);
    }
  }
}
