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
 * The partitions that a consumer reads, and where it goes on in them. Changed by the polling thread only, which tells
 * the loop of each change; {@link #all()} and what searches it, any thread.
 */
final class AssignedPartitions {
  private final ClientInternals client;
  private final Fetcher fetcher;
  /** Its id; empty without one. */
  private final String group;
  /** Whether each of them was sought once. Polling thread. */
  private boolean positionsChecked;
  /** Whether a poll is under way: what it seeks is fetched at once. Polling thread. */
  private boolean polling;
  /** Whether partitions wait for the next poll to be fetched. Polling thread. */
  private boolean awaitsPoll;
  private final Runnable polled;
  private volatile boolean closed;
  private volatile PartitionIndex index = PartitionIndex.EMPTY;

  AssignedPartitions(ClientInternals client, Fetcher fetcher, String group) {
    this.group = group;
    this.client = client;
    this.fetcher = fetcher;
    this.polled = fetcher::polled;
  }

  /** A poll begins: what the application has sought before it is fetched from now on. Polling thread. */
  void pollBegins() {
    polling = true;
    if (awaitsPoll) {
      client.loop().execute(polled);
      awaitsPoll = false;
    }
  }

  /** Polling thread. */
  void pollEnds() {
    polling = false;
  }

  /** Before a partition begins elsewhere: between two polls it is not fetched, but only looked up. Polling thread. */
  void awaitPoll(AssignedPartition p) {
    if (!polling) {
      client.loop().execute(() -> fetcher.awaitPoll(p.fetch));
      awaitsPoll = true;
    }
  }

  /** The group's id; empty without one. */
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

  /** The partition that is fetched by a state; null if it is not assigned any more. */
  @Nullable
  AssignedPartition find(PartitionFetchState fetched) {
    AssignedPartition p = index.find(fetched.topic(), fetched.partition());
    return p != null && p.fetch == fetched ? p : null;
  }

  /** Whether the application has left these positions, so that an error there is of no interest. Polling thread. */
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
        p.paused = false; // nothing need be kept for it
        dropFetched(p);
      }
    }
    index = fresh;
    positionsChecked = false;
    List<PartitionFetchState> fetched = fresh.all().stream().map(p -> p.fetch).toList();
    client.loop().execute(() -> fetcher.assign(fetched));
    tell();
  }

  private void tell() {
    if (client.telemetry().consumer().wantsAssignments()) {
      client.telemetry().consumer().assignmentChanged(group, all().stream().map(AssignedPartition::name).toList());
    }
  }

  /** The consumer is closed, and reads nothing any more. */
  void close() {
    closed = true;
    if (!all().isEmpty()) {
      index = PartitionIndex.EMPTY;
      tell();
    }
  }

  /** Those that nobody has said where to begin in. Looks at all only if there may be one. Poller. */
  List<TopicPartition> findWithoutPosition() {
    if (positionsChecked && !fetcher.lacksPositions()) {
      return List.of();
    }
    List<TopicPartition> lacking = List.of();
    List<AssignedPartition> all = all();
    for (int i = 0; i < all.size(); i++) { // by number: no iterator
      AssignedPartition p = all.get(i);
      if (p.seeks == 0 || p.fetch.isWithoutOffset(p.seeks)) {
        lacking = lacking.isEmpty() ? new ArrayList<>() : lacking;
        lacking.add(p.name());
      }
    }
    positionsChecked = lacking.isEmpty();
    return lacking;
  }

  /** How all of them stand. Any thread. */
  ConsumerStatus status(long nanosSincePoll) {
    return new ConsumerStatus(group, all().stream().map(AssignedPartition::status).toList(), nanosSincePoll);
  }

  /** Goes on at an offset, or at -1 where a lookup for the timestamp says. What was fetched before is dropped. */
  void seek(AssignedPartition p, long offset, long resetTimestamp) {
    seek(p, offset, AssignedPartition.NO_EPOCH, resetTimestamp);
  }

  /** The same, with the epoch of the leader that has appended the record before the offset. */
  void seek(AssignedPartition p, long offset, int epoch, long resetTimestamp) {
    int seeks = p.seeks + 1;
    // First, for there may be no memory for the tasks: then nothing has changed.
    awaitPoll(p);
    client.loop().execute(() -> fetcher.seek(p.fetch, seeks, offset, epoch, resetTimestamp));
    p.position = offset;
    p.epoch = epoch;
    p.submitted = AssignedPartition.UNKNOWN; // the application may commit from here, before it gets there again
    p.seeks = seeks;
    p.turns++;
  }

  /** Goes on where the application is; what was fetched is fetched again. */
  void rewind(AssignedPartition p) {
    seek(p, p.position, p.epoch, 0);
  }

  /** Hands out no more of what was fetched. */
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
