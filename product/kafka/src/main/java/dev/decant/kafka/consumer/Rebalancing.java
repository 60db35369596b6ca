package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.fetch.Fetcher;
import dev.decant.kafka.group.GroupApplication;
import dev.decant.kafka.group.GroupMember;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.loop.Timer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Revokes partitions and takes new ones, as the group decides:
 *
 * <pre>
 *  loop      stops fetching                                                  reports to the group
 *               |                                                                  ^
 *  poller       +-&gt; drops fetched records -&gt; commits ... -&gt; onRevoked, onAssigned -+
 * </pre>
 *
 * <p>While the commit is under way, polls deliver records of the partitions that stay. Methods of {@link
 * GroupApplication} run on the owner of the loop, all others on the polling thread.
 */
final class Rebalancing implements GroupApplication {
  /**
   * One reconciliation.
   *
   * @param completes true if the member has its whole target assignment afterwards
   * @param beforeTaking task of the assignor, run between revocation and assignment
   * @param losses number of losses before it; it ends if there is another one
   */
  private record Change(int number, List<TopicPartition> added, boolean completes, Runnable beforeTaking, int losses) {}

  private final ClientInternals client;
  private final GroupOptions options;
  private final Fetcher fetcher;
  private final AssignedPartitions assigned;
  private final PollThreadTasks tasks;
  private final OffsetReset reset;

  // Set once, before the member starts.
  private @Nullable GroupMember member;
  private @Nullable Committer committer;

  // Owner of the loop only.
  private final Timer stallTimer;
  /** Assignor's task for the next reconciliation. */
  private Runnable nextTask = Rebalancing::nothing;
  /**
   * Number of times that all partitions were lost. Incremented by the owner of the loop, read by the polling thread: a
   * reconciliation from before a loss is dropped. Otherwise {@code onRevoked} would name partitions that other members
   * have by then.
   */
  private final AtomicInteger losses = new AtomicInteger();
  /** Last refusal of the group that may pass; null once a poll has thrown it. Set by the owner of the loop. */
  private final AtomicReference<@Nullable KafkaException> refusal = new AtomicReference<>();

  // Polling thread only.
  /** Number of the reconciliation under way. */
  private int current;
  /** True once the consumer closes: no reconciliation and no loss is handled any more. */
  private boolean closing;
  /** True while {@code onLost} runs. */
  private boolean losing;
  /**
   * Partitions that a listener call under way reports as revoked or lost. If the listener closes the consumer, they are
   * not reported again.
   */
  private List<AssignedPartition> leaving = List.of();
  /** Refusal that has ended the membership; null if there is none. */
  private @Nullable KafkaException failure;
  /** First exception of a strict listener since a poll last threw one. */
  private @Nullable Throwable listenerError;

  Rebalancing(ClientInternals client, GroupOptions options, Fetcher fetcher, AssignedPartitions assigned,
      PollThreadTasks tasks, OffsetReset reset) {
    this.client = client;
    this.options = options;
    this.fetcher = fetcher;
    this.assigned = assigned;
    this.tasks = tasks;
    this.reset = reset;
    this.stallTimer = new Timer(() -> client.telemetry().group().pollStalled(options.member().groupId(),
        options.revocationTimeoutNanos() / 2));
  }

  void connect(GroupMember to, Committer with) {
    member = to;
    committer = with;
  }

  private GroupMember member() {
    GroupMember connected = member;
    if (connected == null) {
      throw new IllegalStateException("not connected");
    }
    return connected;
  }

  private static void nothing() {}

  @Override
  public boolean wantsEveryRebalance() {
    return options.listener().isStrict();
  }

  @Override
  public void beforeTaking(Runnable task) {
    nextTask = task;
  }

  @Override
  public void withinPoll(Runnable task) {
    tasks.add(() -> {
      if (!closing) {
        task.run();
      }
    });
  }

  @Override
  public void reconcile(int number, List<TopicPartition> revoked, List<TopicPartition> added, boolean completes) {
    Change change = new Change(number, added, completes, nextTask, losses.get());
    nextTask = Rebalancing::nothing;
    fetcher.stop(revoked);
    client.loop().schedule(stallTimer, client.loop().nowNanos() + options.revocationTimeoutNanos() / 2);
    tasks.add(() -> begin(change, revoked));
  }

  @Override
  public void lost(KafkaException cause) {
    fetcher.stopAll();
    client.loop().cancel(stallTimer);
    losses.incrementAndGet();
    tasks.add(this::lose);
  }

  @Override
  public void failed(KafkaException cause) {
    tasks.add(() -> failure = cause);
  }

  @Override
  public void refused(KafkaException cause) {
    if (refusal.getAndSet(cause) == null) {
      // One task is enough to make a waiting poll return.
      tasks.add(Rebalancing::nothing);
    }
  }

  /** Returns the last refusal of the group that may pass, once. Polling thread. */
  @Nullable
  KafkaException takeRefusal() {
    return refusal.getAndSet(null);
  }

  /** Returns the refusal that has ended the membership; null if there is none. */
  @Nullable
  KafkaException failure() {
    return failure;
  }

  /** Returns true if a strict listener has thrown. Polling thread. */
  boolean hasListenerError() {
    return listenerError != null;
  }

  /** Throws the exception of the strict listener, once. */
  void throwListenerError() {
    Throwable thrown = listenerError;
    listenerError = null;
    switch (thrown) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null -> {
      }
      default -> throw new KafkaException(ErrorCode.NONE, "the rebalance listener has failed: " + thrown, thrown);
    }
  }

  private void begin(Change change, List<TopicPartition> revoked) {
    if (closing || change.losses() != losses.get()) {
      return;
    }
    current = change.number();
    List<AssignedPartition> going = new ArrayList<>();
    for (TopicPartition p : revoked) {
      AssignedPartition known = assigned.find(p.topic(), p.partition());
      if (known != null) {
        assigned.dropFetched(known);
        going.add(known);
      }
    }
    Committer commits = committer;
    Map<TopicPartition, OffsetAndMetadata> offsets = commits == null || !commits.isAutomatic()
        ? Map.of()
        : commits.notStored(going);
    if (commits == null || offsets.isEmpty()) {
      finish(change, going);
    } else {
      long deadline = client.loop().clock().nanoTime() + options.revocationTimeoutNanos() / 2;
      commits.commitChanged(offsets, deadline, cause -> tasks.add(() -> finish(change, going)));
    }
  }

  private void finish(Change change, List<AssignedPartition> going) {
    if (closing || change.number() != current || change.losses() != losses.get()) {
      return; // all partitions were lost meanwhile
    }
    boolean strict = options.listener().isStrict();
    callGone("onRevoked", going, strict && !change.completes(), options.listener()::onRevoked);
    if (closing) {
      return; // the listener has closed the consumer
    }
    tryTask(change.beforeTaking());
    List<TopicPartition> added = change.added();
    List<AssignedPartition> fresh = added.stream().map(p -> new AssignedPartition(p.topic(), p.partition())).toList();
    List<AssignedPartition> next = new ArrayList<>(assigned.all());
    next.removeAll(new HashSet<>(going)); // a list would be searched once per partition
    next.addAll(fresh);
    assigned.replace(next);
    if (!fresh.isEmpty() || (strict && change.completes())) {
      call("onAssigned", added, options.listener()::onAssigned);
      if (closing) {
        return;
      }
      begin(fresh);
    }
    client.telemetry().group().rebalanced(options.member().groupId(), going.size(), fresh.size(), next.size());
    client.loop().execute(() -> {
      client.loop().cancel(stallTimer);
      member().reconciled(change.number());
    });
  }

  /** Starts partitions without a position at their committed offsets. */
  void begin(List<AssignedPartition> fresh) {
    List<AssignedPartition> unsought = fresh.stream().filter(p -> p.seeks == 0).toList();
    if (unsought.isEmpty()) {
      return;
    }
    unsought.forEach(p -> {
      assigned.awaitPoll(p);
      p.seeks = 1;
    });
    client.loop().execute(() -> {
      CommittedPositions positions = new CommittedPositions(fetcher, reset);
      unsought.forEach(p -> positions.add(p, 1));
      member().query(unsought.stream().map(AssignedPartition::name).toList(), positions);
    });
  }

  /**
   * Refuses a lookup within {@code onLost}. The coordinator responds to members only, and the member joins again after
   * {@code onLost}: the lookup would wait for its own caller. Polling thread.
   */
  void requireNoLoss(String what) {
    if (losing) {
      throw new IllegalStateException(what + ": not from within onLost, the consumer joins again when that returns");
    }
  }

  private void lose() {
    if (closing) {
      return;
    }
    current = 0;
    List<AssignedPartition> gone = assigned.all();
    assigned.replace(List.of());
    losing = true;
    callGone("onLost", gone, false, options.listener()::onLost);
    losing = false;
    client.loop().execute(() -> member().lossHandled());
  }

  /** Reports all partitions as revoked, because the consumer closes, and takes no further ones. */
  void end() {
    closing = true;
    List<AssignedPartition> gone = new ArrayList<>(assigned.all());
    gone.removeAll(new HashSet<>(leaving));
    gone.forEach(assigned::dropFetched);
    callGone("onRevoked", gone, false, options.listener()::onRevoked);
  }

  /**
   * Stops the timer of a reconciliation that no poll has taken. The timer would keep the closed consumer and its
   * listener in memory for half of the revocation timeout, and then report a stalled poll. Owner of the loop, after the
   * member has ended.
   */
  void shutDown() {
    client.loop().cancel(stallTimer);
  }

  private void tryTask(Runnable ofAssignor) {
    try {
      ofAssignor.run();
    } catch (Throwable e) {
      thrownBy("onAssignment", e);
    }
  }

  private void callGone(String method, List<AssignedPartition> gone, boolean always, Notice listener) {
    if (!gone.isEmpty() || always) {
      leaving = gone;
      call(method, gone.stream().map(AssignedPartition::name).toList(), listener);
      leaving = List.of();
    }
  }

  /** One of the three methods of a rebalance listener. */
  @FunctionalInterface
  private interface Notice {
    void accept(List<TopicPartition> partitions) throws InterruptedException;
  }

  private void call(String method, List<TopicPartition> partitions, Notice listener) {
    try {
      listener.accept(partitions);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the reconciliation continues; the next wait of this thread ends
    } catch (Throwable e) {
      thrownBy(method, e);
    }
  }

  private void thrownBy(String method, Throwable error) {
    if (!options.listener().isStrict()) {
      client.telemetry().group().listenerFailed(method, error);
    } else if (listenerError == null) {
      listenerError = error;
    }
  }
}
