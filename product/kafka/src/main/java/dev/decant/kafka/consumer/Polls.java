package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.cluster.Waiting;
import dev.decant.kafka.fetch.FetchFailures;
import dev.decant.kafka.fetch.Fetcher;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.telemetry.ConsumerEvents;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The polls of a consumer, one at a time, and their end. The polling thread, but for methods that say otherwise. */
final class Polls<K, V> {
  private static final long NEVER = Long.MIN_VALUE;

  private final ClientInternals client;
  private final ConsumerEvents events;
  private final Fetcher fetcher;
  private final PollThreadTasks tasks;
  private final Wakeups wakeups;
  private final PollGate gate = new PollGate();
  private final AssignedPartitions assigned;
  private final @Nullable ConsumerGroup group;
  private final Delivery<K, V> delivery;
  private final BooleanSupplier somethingToDo = this::hasSomethingToDo;
  /** Written by the first thread that closes. */
  private volatile boolean closed;
  /** Whether the end of the consumer is over; after {@link #closed}. */
  private volatile boolean ended;
  /** Whether a handler or listener of a poll has closed the consumer. Of the thread that is in the gate. */
  private boolean closedWithin;
  /** Whether a poll did not end in time for the thread that closes: the memory is given back when it does. */
  private volatile boolean abandoned;
  /**
   * When the last poll began, on the clock of the loop; {@link #NEVER} while no listener wants to know. Written by the
   * polling thread, read by any.
   */
  private volatile long lastPollNanos = NEVER;

  Polls(ClientInternals client, ConsumerOptions settings, Fetcher fetcher, PollThreadTasks tasks, Wakeups wakeups,
      Consuming<K, V> of) {
    this.client = client;
    this.events = client.telemetry().consumer();
    this.fetcher = fetcher;
    this.tasks = tasks;
    this.wakeups = wakeups;
    this.assigned = of.assigned();
    this.group = of.group();
    this.delivery = new Delivery<>(fetcher, assigned, events, settings, of.keys(), of.values());
  }

  /** What is consumed, by whom, and how it is decoded. */
  record Consuming<K, V>(AssignedPartitions assigned, @Nullable ConsumerGroup group, Decoder<? extends K> keys,
      Decoder<? extends V> values) {}

  /** Any thread. */
  boolean isClosed() {
    return closed;
  }

  /** Any thread. */
  void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the consumer is closed");
    }
  }

  /**
   * Any thread. Questions for offsets and topics are answered until the end of a close: its listeners may have some.
   */
  void requireNotEnded() {
    if (ended) {
      throw new IllegalStateException("the consumer is closed");
    }
  }

  /** How a thread waits for the response to a question: the end of the consumer ends the wait, too. */
  Waiting untilEnd() {
    requireNotEnded();
    return (done, deadlineNanos) -> {
      boolean isDone = wakeups.await(() -> ended || done.getAsBoolean(), deadlineNanos);
      if (!done.getAsBoolean()) {
        requireNotEnded();
      }
      return isDone;
    };
  }

  private void end() {
    ended = true;
    client.loop().execute(client.cluster().waiters()::signalAll);
  }

  int poll(Duration timeout, RecordHandler<K, V> handler) throws InterruptedException {
    enter();
    try {
      begin();
      int count = delivery.handOut(handler);
      if (count > 0) {
        events.polled(count);
        return count;
      }
      return pollSlowPath(timeout, handler, null);
    } finally {
      leave();
    }
  }

  int pollPartitions(Duration timeout, PartitionHandler<K, V> handler) throws InterruptedException {
    enter();
    try {
      begin();
      int count = delivery.handOutPartitions(handler);
      if (count > 0) {
        events.polled(count);
        return count;
      }
      return delivery.isEndWanted() ? 0 : pollSlowPath(timeout, null, handler);
    } finally {
      leave();
    }
  }

  private void enter() {
    requireOpen();
    if (client.loop().isOwner()) {
      throw new IllegalStateException("poll: not from within a listener of the client's loop, it would wait for what"
          + " listeners hold up; use the thread that polls");
    }
    if (!gate.tryEnter()) {
      requireOpen(); // it may be the thread that closes
      throw gate.refusal();
    }
  }

  private void begin() {
    assigned.pollBegins();
    tasks.enterPoll();
    if (events.wantsPolls()) {
      lastPollNanos = client.loop().clock().nanoTime();
      events.pollBegan(assigned.group());
    }
    throwListenerError();
  }

  /** How long ago the last poll began; {@link ConsumerStatus#UNKNOWN} where no listener wants to know. Any thread. */
  long nanosSincePoll() {
    long last = lastPollNanos;
    return last == NEVER || !events.wantsPolls()
        ? ConsumerStatus.UNKNOWN
        : Math.max(0, client.loop().clock().nanoTime() - last);
  }

  private void leave() {
    assigned.pollEnds();
    gate.leave();
    if (closed) {
      endPollSlowPath();
    }
  }

  /** Another thread waits for the end of this poll, or has stopped waiting. */
  private void endPollSlowPath() {
    if (abandoned) {
      releaseMemory();
    } else if (!closedWithin) {
      client.loop().execute(client.cluster().waiters()::signalAll);
    }
  }

  /** Once, by the thread that next enters the gate, after {@link #abandoned} is set. */
  private void releaseMemory() {
    if (gate.tryEnter()) { // and nobody leaves it
      delivery.close();
      ConsumerGroup g = group;
      if (g != null) {
        g.committer().endTelling();
      }
    }
  }

  private int handOut(@Nullable RecordHandler<K, V> handler, @Nullable PartitionHandler<K, V> partitions)
      throws InterruptedException {
    if (handler != null) {
      return delivery.handOut(handler);
    }
    return partitions == null ? 0 : delivery.handOutPartitions(partitions);
  }

  /** One of the handlers is not null. */
  private int pollSlowPath(Duration timeout, @Nullable RecordHandler<K, V> handler,
      @Nullable PartitionHandler<K, V> partitions) throws InterruptedException {
    if (!closed) { // by a handler or listener of this poll
      requirePositions();
    }
    long deadline = Timeouts.deadline(client.loop().clock().nanoTime(), timeout);
    do {
      if (tasks.areWaiting() && !closed) {
        tasks.run();
        throwListenerError();
      }
      if (closed) {
        if (!closedWithin) {
          requireOpen(); // another thread waits for the end of this poll
        }
        return 0;
      }
      throwFailure();
      int count = handOut(handler, partitions);
      if (count > 0) {
        wakeIoThread();
        events.polled(count);
        return count;
      }
      if ((partitions != null && delivery.isEndWanted()) || wakeups.take()) {
        return 0;
      }
    } while (client.cluster().waiters().await(somethingToDo, deadline));
    return 0;
  }

  /** What a strict listener has thrown, before records are handed out. */
  private void throwListenerError() {
    ConsumerGroup g = group;
    if (g != null && g.rebalancing().hasListenerError()) {
      g.rebalancing().throwListenerError();
    }
  }

  private void throwFailure() {
    ConsumerGroup g = group;
    KafkaException failure = g == null ? null : g.rebalancing().failure();
    if (failure == null && g != null) {
      failure = g.rebalancing().takeRefusal();
    }
    if (failure == null) {
      failure = takeFetchFailure();
    }
    KafkaException refused = client.cluster().refusal();
    if (failure == null && refused != null) {
      failure = Cluster.again(refused);
    }
    if (failure != null) {
      throw failure;
    }
  }

  private @Nullable KafkaException takeFetchFailure() {
    FetchFailures.Failure taken = fetcher.failures().take();
    return taken == null || assigned.hasLeft(taken.positions()) ? null : taken.cause();
  }

  private void requirePositions() {
    List<TopicPartition> lacking = assigned.findWithoutPosition();
    if (!lacking.isEmpty()) {
      throw new NoPositionException(lacking);
    }
  }

  /**
   * This thread has driven the loop so far, and will be busy with records for a while: then the I/O thread should read
   * on meanwhile. A wake-up is worth it only for many records.
   */
  private void wakeIoThread() {
    if (delivery.isBusy()) {
      client.loop().signal();
    }
  }

  private boolean hasSomethingToDo() {
    return fetcher.needsWakeup() || tasks.areWaiting() || wakeups.isSet() || closed
        || client.cluster().refusal() != null;
  }

  // The end. A poll of another thread that waits ends with an IllegalStateException, and one whose handler is being
  // called ends first.

  /** Lets no poll begin from now on; false if none could. Any thread. */
  synchronized boolean beginClose() {
    if (closed) {
      return false;
    }
    closedWithin = gate.isMine();
    closed = true;
    return true;
  }

  /** Whether the calling thread is in a poll, or has {@linkplain #tryShut shut} the gate. */
  boolean isWithin() {
    return gate.isMine();
  }

  /** A handler of this thread's poll closes, where another thread had begun to. */
  void closesWithin() {
    closedWithin = true;
  }

  /** Keeps polls out for ever; false while another thread's poll has not ended. */
  boolean tryShut() {
    return gate.isMine() || gate.tryEnter();
  }

  /** The calling thread does from now on what the polling thread does. */
  void takeOver() {
    tasks.takeOver();
  }

  /** Gives the memory back. */
  void release() {
    end();
    delivery.close();
  }

  /** A handler of another thread does not return: what it reads stays until it does. Returns what says so. */
  IllegalStateException abandon(Duration timeout) {
    Thread other = gate.inside();
    end();
    abandoned = true;
    releaseMemory(); // if the poll has ended just now
    return new IllegalStateException("close: the poll of "
        + (other == null ? "another thread" : "thread " + other.getName())
        + " did not end within " + timeout + "; nothing was committed and the group was not told;"
        + " let handlers return sooner, or close where the consumer is polled");
  }
}
