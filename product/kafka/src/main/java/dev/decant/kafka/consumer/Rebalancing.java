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
 * Gives up partitions and takes others, as the group wants it:
 *
 * <pre>
 *  loop      stops fetching                                                  tells the group
 *               |                                                                  ^
 *  poller       +-&gt; drops what was fetched -&gt; commits ...-&gt; onRevoked, onAssigned -+
 * </pre>
 *
 * <p>While the commit is under way poll goes on with the partitions that stay. Methods of {@link GroupApplication} run
 * on the owner of the loop, the others on the polling thread.
 */
final class Rebalancing implements GroupApplication {
  /**
   * One reconciliation: what goes and comes, whether that is all, what the assignor does in between, and how many
   * losses there were before it.
   */
  private record Change(int number, List<TopicPartition> added, boolean completes, Runnable beforeTaking, int losses) {}

  private final ClientInternals client;
  private final GroupOptions options;
  private final Fetcher fetcher;
  private final AssignedPartitions assigned;
  private final PollThreadTasks tasks;
  private final OffsetReset reset;

  // Set once, before anything begins.
  private @Nullable GroupMember member;
  private @Nullable Committer committer;

  // Owner of the loop only.
  private final Timer stallTimer;
  /** For the next reconciliation. */
  private Runnable nextTask = Rebalancing::nothing;
  /** How often all was lost. Counted by the owner of the loop: a change that was to come before a loss is void. */
  private final AtomicInteger losses = new AtomicInteger();
  /** What the group has refused last; null once a poll has thrown it. Set by the owner of the loop. */
  private final AtomicReference<@Nullable KafkaException> refusal = new AtomicReference<>();

  // Polling thread only.
  private int current;
  private boolean closing;
  private boolean losing;
  /** Told of as revoked or lost just now, by a listener that may close the consumer. */
  private List<AssignedPartition> leaving = List.of();
  private @Nullable KafkaException failure;
  /** What a strict listener has thrown first, since a poll last threw that. */
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
    if (refusal.getAndSet(cause) == null) { // else a poll is called for already
      tasks.add(Rebalancing::nothing);
    }
  }

  /** What the group has refused for now: an error that the application has to know, once. Polling thread. */
  @Nullable
  KafkaException takeRefusal() {
    return refusal.getAndSet(null);
  }

  /** What the group has refused for good, if it has. */
  @Nullable
  KafkaException failure() {
    return failure;
  }

  /** Whether a strict listener has thrown. Polling thread. */
  boolean hasListenerError() {
    return listenerError != null;
  }

  /** Throws it, once. */
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
      return; // all is lost meanwhile
    }
    boolean strict = options.listener().isStrict();
    tellGone("onRevoked", going, strict && !change.completes(), options.listener()::onRevoked);
    if (closing) {
      return; // the listener has closed the consumer
    }
    tryTask(change.beforeTaking());
    List<TopicPartition> added = change.added();
    List<AssignedPartition> fresh = added.stream().map(p -> new AssignedPartition(p.topic(), p.partition())).toList();
    List<AssignedPartition> next = new ArrayList<>(assigned.all());
    next.removeAll(new HashSet<>(going)); // a list would be searched for each
    next.addAll(fresh);
    assigned.replace(next);
    if (!fresh.isEmpty() || (strict && change.completes())) {
      tell("onAssigned", added, options.listener()::onAssigned);
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

  /** Has partitions without a position go on at the committed offset. */
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

  /** The coordinator answers members only, and this one joins again after {@code onLost}. Polling thread. */
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
    tellGone("onLost", gone, false, options.listener()::onLost);
    losing = false;
    client.loop().execute(() -> member().lossHandled());
  }

  /** The consumer is being closed: what it has is revoked, and nothing comes any more. */
  void end() {
    closing = true;
    List<AssignedPartition> gone = new ArrayList<>(assigned.all());
    gone.removeAll(new HashSet<>(leaving));
    gone.forEach(assigned::dropFetched);
    tellGone("onRevoked", gone, false, options.listener()::onRevoked);
  }

  /**
   * Ends the watch of a change that no poll has taken. Its timer held the closed consumer and its listener for half of
   * the time of a revocation, and then reported a poll that was late. Owner of the loop, once no change comes any more.
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

  private void tellGone(String method, List<AssignedPartition> gone, boolean always, Notice listener) {
    if (!gone.isEmpty() || always) {
      leaving = gone;
      tell(method, gone.stream().map(AssignedPartition::name).toList(), listener);
      leaving = List.of();
    }
  }

  /** One of the three methods of a listener. */
  @FunctionalInterface
  private interface Notice {
    void accept(List<TopicPartition> partitions) throws InterruptedException;
  }

  private void tell(String method, List<TopicPartition> partitions, Notice listener) {
    try {
      listener.accept(partitions);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the change goes on; whatever waits next ends
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
