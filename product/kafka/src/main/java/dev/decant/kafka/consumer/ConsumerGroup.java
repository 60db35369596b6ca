package dev.decant.kafka.consumer;

import dev.decant.kafka.GroupMetadata;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.fetch.Fetcher;
import dev.decant.kafka.group.ConsumerMembership;
import dev.decant.kafka.group.GroupMember;
import dev.decant.kafka.group.Subscription;
import dev.decant.kafka.internal.ClientInternals;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Connects a consumer with its group, from its opening to its close. */
final class ConsumerGroup {
  /** The parts that concern the polling thread. */
  record PollThread(PollThreadTasks tasks, Wakeups wakeups) {}

  /**
   * How long a leave request may wait while no broker can be reached. Tests of Apache's consumer allow two seconds for
   * a close without brokers.
   */
  private static final long UNREACHABLE_NANOS = 1_000_000_000L;

  private final ClientInternals client;
  private final GroupOptions options;
  private final PollThreadTasks tasks;
  private final GroupMember member;
  private final Rebalancing rebalancing;
  private final Committer committer;
  private final PollWatch watch;
  /** True once the group has responded to the leave request. Set by the owner of the loop. */
  private volatile boolean left;

  ConsumerGroup(ClientInternals client, GroupOptions options, Fetcher fetcher, AssignedPartitions assigned,
      PollThread thread, OffsetReset reset) {
    PollThreadTasks tasks = thread.tasks();
    this.client = client;
    this.options = options;
    this.tasks = tasks;
    this.rebalancing = new Rebalancing(client, options, fetcher, assigned, tasks, reset);
    this.member = new GroupMember(client, options.member(), options.classic(), rebalancing);
    this.committer = new Committer(client, member, assigned, tasks, thread.wakeups(), options.autoCommitNanos());
    this.watch = new PollWatch(client, options, member, tasks);
    rebalancing.connect(member, committer);
  }

  void start() {
    client.loop().execute(() -> {
      committer.start();
      Subscription wanted = options.subscription();
      if (wanted != null) {
        member.subscribe(wanted);
        watch.start();
      }
    });
  }

  GroupMember member() {
    return member;
  }

  GroupOptions options() {
    return options;
  }

  Committer committer() {
    return committer;
  }

  Rebalancing rebalancing() {
    return rebalancing;
  }

  boolean hasSubscription() {
    return options.subscription() != null;
  }

  /** Returns the member's identity. Any thread. Waits for the loop, five seconds at most. */
  GroupMetadata metadata() {
    if (client.loop().isOwner()) { // the owner would wait for itself
      return member.metadata();
    }
    AtomicReference<@Nullable GroupMetadata> taken = new AtomicReference<>();
    client.runOnLoop(() -> taken.set(member.metadata()));
    GroupMetadata metadata = taken.get();
    // Metadata without the member's epoch would let a fenced member commit within a transaction (KIP-447).
    if (metadata == null) {
      throw new KafkaTimeoutException("the metadata of group " + options.member().groupId()
          + " is not known: the loop of the client did not answer within 5 s, or is closed", null);
    }
    return metadata;
  }

  /** Replaces the subscription. Any thread. */
  void subscribe(Subscription wanted) {
    if (!hasSubscription()) {
      throw new IllegalStateException("this consumer was opened without subscribe, so its partitions are assigned");
    }
    options.requireReadable(wanted);
    client.loop().execute(() -> member.subscribe(wanted));
  }

  /**
   * Commits what is due, revokes all partitions and leaves the group. Before that, pending commits of the application
   * and its listeners are stored, within the timeout (KAFKA-16599). On an interrupted thread it waits for nothing, but
   * still calls {@code onRevoked} and sends the leave request. Without that, the group would wait for the session
   * timeout. Polling thread.
   */
  void close(AssignedPartitions assigned, ConsumerClosing closing, GroupMembershipOperation departure) {
    stopTimers();
    boolean interrupted = false;
    try {
      commitRest(assigned, closing.deadlineNanos());
      closing.await(committer::isIdle);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (hasSubscription()) {
      rebalancing.end();
    }
    tasks.run(); // calls listeners of commits that have ended
    try {
      if (!interrupted) {
        closing.await(committer::isIdle); // commits that the listeners have made
        tasks.run();
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    leave(departure);
    try {
      if (!interrupted) {
        awaitLeft(closing);
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    committer.close();
    client.runOnLoop(this::shutDown);
    tasks.run();
    committer.callListenersAtOnce();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void shutDown() {
    member.shutDown();
    rebalancing.shutDown(); // after the member, which may have begun a reconciliation until now
  }

  private void stopTimers() {
    client.loop().execute(() -> {
      committer.stop();
      watch.stop();
    });
  }

  /**
   * Ends the membership without a leave request and without a call of the rebalance listener, because another thread
   * still works on records. Listeners of commits are called after that thread's poll. Any thread.
   */
  void abandon() {
    stopTimers();
    committer.close();
    client.runOnLoop(this::shutDown);
  }

  private void commitRest(AssignedPartitions assigned, long deadlineNanos) {
    if (committer.isAutomatic() && rebalancing.failure() == null) {
      Map<TopicPartition, OffsetAndMetadata> offsets = committer.notStored(assigned.all());
      if (!offsets.isEmpty()) {
        committer.commitChanged(offsets, deadlineNanos, error -> {}); // the member leaves the group whatever the result
      }
    }
  }

  private void leave(GroupMembershipOperation departure) {
    boolean isStatic = options.member().instanceId() != null;
    int epoch = switch (departure) {
      case DEFAULT -> isStatic ? ConsumerMembership.STATIC_LEAVE_EPOCH : ConsumerMembership.LEAVE_EPOCH;
      case LEAVE_GROUP -> ConsumerMembership.LEAVE_EPOCH;
      case REMAIN_IN_GROUP -> isStatic ? ConsumerMembership.STATIC_LEAVE_EPOCH : 0;
    };
    client.loop().execute(() -> member.leave(epoch, () -> {
      left = true;
      client.cluster().waiters().signalAll();
    }));
  }

  private void awaitLeft(ConsumerClosing closing) throws InterruptedException {
    closing.await(() -> left, UNREACHABLE_NANOS);
    // Without a connection, no request can reach the group.
    if (!left && client.cluster().readyConnections() > 0) {
      closing.await(() -> left);
    }
  }
}
