package dev.decant.kafka.consumer;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.fetch.FetchFailures;
import dev.decant.kafka.fetch.Fetcher;
import dev.decant.kafka.fetch.PartitionFetchState;
import dev.decant.kafka.internal.ClientInternals;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Partitions that a consumer reads, and their positions. Only the polling thread changes them, and it passes each
 * change on to the loop. {@link #all()} and the searches are for any thread.
 */
final class AssignedPartitions {
  private final ClientInternals client;
  private final Fetcher fetcher;
  /** Id of the group; empty without one. */
  private final String group;
  /** True if no partition lacked a position in the last check. Polling thread only. */
  private boolean positionsChecked;
  /** True during a poll: a seek then fetches at once. Polling thread only. */
  private boolean polling;
  /** True if partitions wait for the next poll before they are fetched. Polling thread only. */
  private boolean awaitsPoll;
  /** Task that ends {@link #awaitPoll} on the loop. */
  private final Runnable polled;
  /** True once the consumer has closed. Written by the closing thread, read by any. */
  private volatile boolean closed;
  /** Written by the polling thread, read by any. */
  private volatile PartitionIndex index = PartitionIndex.EMPTY;

  AssignedPartitions(ClientInternals client, Fetcher fetcher, String group) {
    this.group = group;
    this.client = client;
    this.fetcher = fetcher;
    this.polled = fetcher::polled;
  }

  /** Begins a poll, and lets partitions be fetched that were sought or assigned before it. Polling thread. */
  void pollBegins() {
    polling = true;
    if (awaitsPoll) {
      client.loop().execute(polled);
      awaitsPoll = false;
    }
  }

  /** Ends a poll. Polling thread. */
  void pollEnds() {
    polling = false;
  }

  /**
   * Between two polls, makes the loop look up the partition's position without a fetch. Polling thread. A seek to the
   * end would otherwise send a fetch at once, which the broker holds for {@code fetch.max.wait.ms}. The session's next
   * fetch waits for it: a program that sought both ends paid 213 ms instead of 21 ms.
   */
  void awaitPoll(AssignedPartition p) {
    if (!polling) {
      client.loop().execute(() -> fetcher.awaitPoll(p.fetch));
      awaitsPoll = true;
    }
  }

  /** Returns the group's id; empty without one. */
  String group() {
    return group;
  }

  List<AssignedPartition> all() {
    return index.all();
  }

  boolean contains(AssignedPartition p) {
    return index.contains(p);
  }

  @Nullable
  AssignedPartition find(String topic, int partition) {
    return index.find(topic, partition);
  }

  /** Returns the partition that owns a fetch state; null if it is no longer assigned. */
  @Nullable
  AssignedPartition find(PartitionFetchState fetched) {
    AssignedPartition p = index.find(fetched.topic(), fetched.partition());
    return p != null && p.fetch == fetched ? p : null;
  }

  /**
   * Returns true if the application has left all these positions, so that their error no longer concerns it. Polling
   * thread.
   */
  boolean hasLeft(List<FetchFailures.Position> positions) {
    return !positions.isEmpty() && positions.stream().allMatch(this::hasLeft);
  }

  private boolean hasLeft(FetchFailures.Position position) {
    AssignedPartition p = find(position.partition());
    return p == null || p.seeks != position.seeks();
  }

  AssignedPartition require(String topic, int partition) {
    AssignedPartition p = find(Objects.requireNonNull(topic, "topic"), partition);
    if (p == null && closed) {
      throw new IllegalStateException("the consumer is closed");
    }
    if (p == null) {
      throw new IllegalStateException("No current assignment for partition " + topic + "-" + partition);
    }
    return p;
  }

  List<AssignedPartition> require(String parameter, Collection<TopicPartition> partitions) {
    List<AssignedPartition> found = new ArrayList<>();
    for (TopicPartition p : Objects.requireNonNull(partitions, parameter)) {
      found.add(require(Objects.requireNonNull(p, parameter).topic(), p.partition()));
    }
    return found;
  }

  List<AssignedPartition> require(String topic, int... partitions) {
    List<AssignedPartition> found = new ArrayList<>();
    for (int partition : Objects.requireNonNull(partitions, "partitions")) {
      found.add(require(topic, partition));
    }
    return found;
  }

  void replace(Collection<AssignedPartition> next) {
    PartitionIndex fresh = new PartitionIndex(next);
    for (AssignedPartition p : index.all()) {
      if (!fresh.contains(p)) {
        p.paused = false; // kept records of a paused partition would never become due
        dropFetched(p);
      }
    }
    index = fresh;
    positionsChecked = false;
    List<PartitionFetchState> fetched = fresh.all().stream().map(p -> p.fetch).toList();
    client.loop().execute(() -> fetcher.assign(fetched));
    reportAssignment();
  }

  private void reportAssignment() {
    if (client.telemetry().consumer().wantsAssignments()) {
      client.telemetry().consumer().assignmentChanged(group, all().stream().map(AssignedPartition::name).toList());
    }
  }

  /** Empties the assignment, after the consumer has closed. */
  void close() {
    closed = true;
    if (!all().isEmpty()) {
      index = PartitionIndex.EMPTY;
      reportAssignment();
    }
  }

  /**
   * Returns the partitions whose position is neither set nor being looked up. Checks all of them only after a change,
   * since each waiting poll calls this. Polling thread.
   */
  List<TopicPartition> findWithoutPosition() {
    if (positionsChecked && !fetcher.lacksPositions()) {
      return List.of();
    }
    List<TopicPartition> lacking = List.of();
    List<AssignedPartition> all = all();
    for (int i = 0; i < all.size(); i++) { // no iterator is allocated
      AssignedPartition p = all.get(i);
      if (p.seeks == 0 || p.fetch.isWithoutOffset(p.seeks)) {
        lacking = lacking.isEmpty() ? new ArrayList<>() : lacking;
        lacking.add(p.name());
      }
    }
    positionsChecked = lacking.isEmpty();
    return lacking;
  }

  /** Returns all partitions with position, end and lag. Any thread. */
  ConsumerStatus status(long nanosSincePoll) {
    return new ConsumerStatus(group, all().stream().map(AssignedPartition::status).toList(), nanosSincePoll);
  }

  /**
   * Moves the position to an offset, or for offset -1 to the result of a lookup for the timestamp. Drops fetched
   * records.
   */
  void seek(AssignedPartition p, long offset, long resetTimestamp) {
    seek(p, offset, AssignedPartition.NO_EPOCH, resetTimestamp);
  }

  /**
   * Moves the position like {@link #seek(AssignedPartition, long, long)}, with the epoch of the leader that appended
   * the record before it.
   */
  void seek(AssignedPartition p, long offset, int epoch, long resetTimestamp) {
    int seeks = p.seeks + 1;
    // The tasks come first: if there is no memory for them, nothing has changed yet.
    awaitPoll(p);
    client.loop().execute(() -> fetcher.seek(p.fetch, seeks, offset, epoch, resetTimestamp));
    p.position = offset;
    p.epoch = epoch;
    // After a seek back, the next commit must store the position again, even if it equals the one before the seek.
    // Otherwise it counts as committed already, and a restart continues behind records that were to be read again.
    p.submitted = AssignedPartition.UNKNOWN;
    p.seeks = seeks;
    p.turns++;
  }

  /** Fetches again from the application's position, and drops fetched records. */
  void rewind(AssignedPartition p) {
    seek(p, p.position, p.epoch, 0);
  }

  /** Drops fetched records, without another position. */
  void dropFetched(AssignedPartition p) {
    p.takeFound();
    p.seeks++;
    p.turns++;
  }

  void pause(AssignedPartition p) {
    if (!p.paused) {
      p.paused = true;
      p.turns++;
      client.loop().execute(() -> fetcher.pause(p.fetch, true));
    }
  }

  void resume(AssignedPartition p) {
    p.paused = false;
    client.loop().execute(() -> fetcher.pause(p.fetch, false));
  }
}
