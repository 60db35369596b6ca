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

/**
 * Runs one poll at a time, and ends them when the consumer closes. Polling thread only, except for methods that name
 * other threads.
 */
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
  /** True once a close has begun. Written by the first thread that closes, read by any. */
  private volatile boolean closed;
  /** True once the consumer has closed, after {@link #closed}. Read by any thread. */
  private volatile boolean ended;
  /** True if a handler or listener of a poll has closed the consumer. Owned by the thread that is in the gate. */
  private boolean closedWithin;
  /** True if a poll did not end in time for the thread that closes; the memory is then returned when the poll ends. */
  private volatile boolean abandoned;
  /**
   * Start of the last poll on the clock of the loop; {@link #NEVER} while no listener needs it. Written by the polling
   * thread, read by any.
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

  /** The partitions and the group to consume from, and the decoders. */
  record Consuming<K, V>(AssignedPartitions assigned, @Nullable ConsumerGroup group, Decoder<? extends K> keys,
      Decoder<? extends V> values) {}

  /** Returns true once a close has begun. Any thread. */
  boolean isClosed() {
    return closed;
  }

  /** Throws once a close has begun. Any thread. */
  void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the consumer is closed");
    }
  }

  /**
   * Throws once the close has ended. Until then offsets and topics can be looked up, as rebalance listeners within the
   * close may do. Any thread.
   */
  void requireNotEnded() {
    if (ended) {
      throw new IllegalStateException("the consumer is closed");
    }
  }

  /**
   * Returns the way in which a thread waits for a response. The wait also ends when the consumer has closed: after that
   * nothing would wake the thread.
   */
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
      requireOpen(); // the thread in the gate may be one that closes
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

  /**
   * Returns the age of the last poll in nanoseconds; {@link ConsumerStatus#UNKNOWN} if no listener wants it. Any
   * thread.
   */
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

  /** Releases the memory if the closing thread has stopped waiting for this poll, else wakes that thread. */
  private void endPollSlowPath() {
    if (abandoned) {
      releaseMemory();
    } else if (!closedWithin) {
      client.loop().execute(client.cluster().waiters()::signalAll);
    }
  }

  /**
   * Returns the memory, after {@link #abandoned} is set. Both the closing thread and the poll's thread call this; the
   * gate, which is then never left, lets one of them through.
   */
  private void releaseMemory() {
    // The gate stays shut after this.
    if (gate.tryEnter()) {
      delivery.close();
      ConsumerGroup g = group;
      if (g != null) {
        g.committer().callListenersAtOnce();
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

  /** Called with one of the two handlers; the other one is null. */
  private int pollSlowPath(Duration timeout, @Nullable RecordHandler<K, V> handler,
      @Nullable PartitionHandler<K, V> partitions) throws InterruptedException {
    if (!closed) { // a handler or listener of this poll may have closed the consumer
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

  /** Throws the exception of a strict listener before records are delivered. */
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
   * Wakes the I/O thread before many records are delivered: this thread has driven the loop so far. The I/O thread then
   * reads from sockets meanwhile. A wake-up is a system call, so it does not pay for a few records.
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

  // Closing. A poll of another thread that waits ends with an IllegalStateException; one whose handler is being called
  // ends first.

  /** Lets no further poll begin. Returns false if the consumer was closed before. Any thread. */
  synchronized boolean beginClose() {
    if (closed) {
      return false;
    }
    closedWithin = gate.isMine();
    closed = true;
    return true;
  }

  /** Returns true if the calling thread is in a poll, or has {@linkplain #tryShut shut} the gate. */
  boolean isWithin() {
    return gate.isMine();
  }

  /** Notes that a handler of this thread's poll closes, too, after another thread has begun to. */
  void closesWithin() {
    closedWithin = true;
  }

  /** Keeps polls out from now on. Returns false while another thread's poll has not ended. */
  boolean tryShut() {
    return gate.isMine() || gate.tryEnter();
  }

  /** Makes the calling thread the polling thread. */
  void takeOver() {
    tasks.takeOver();
  }

  /** Ends all waits and returns the memory. */
  void release() {
    end();
    delivery.close();
  }

  /**
   * Leaves the memory to a poll of another thread that has not ended: its handler still reads it. Returns the exception
   * for the caller of close.
   */
  IllegalStateException abandon(Duration timeout) {
    Thread other = gate.inside();
    end();
    abandoned = true;
    releaseMemory(); // the poll may have ended just before `abandoned` was set
    return new IllegalStateException("close: the poll of "
        + (other == null ? "another thread" : "thread " + other.getName())
        + " did not end within " + timeout + "; nothing was committed and the group was not told;"
        + " let handlers return sooner, or close where the consumer is polled");
  }
}
