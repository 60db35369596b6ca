package dev.decant.flink;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The transactional ids of a subtask, by the rules of Flink's sink, since states go from one sink to the other. An id
 * is {@code prefix-subtask-number}. Without pooling the number is that of the checkpoint that the transaction begins
 * for; with pooling it is the lowest that is free.
 *
 * <p>Each id has one subtask that may begin, commit or abort transactions under it: its owner. Without pooling that is
 * the subtask of the same number, modulo the present parallelism. With pooling it is the subtask that was given the
 * state of that number; numbers beyond all states are owned modulo the highest parallelism that has ever been.
 *
 * <p>Belongs to the subtask's thread.
 */
final class TransactionIds {
  private static final Pattern REST = Pattern.compile("-(\\d{1,9})-(\\d{1,18})");

  private final String prefix;
  private final Set<String> prefixes = new LinkedHashSet<>();
  private final boolean pooling;
  private final int[] owned;
  private final int all;
  /** The first checkpoint that nothing is known of. */
  private final long firstCheckpoint;
  /** Transactions that only the committer may end, with their checkpoints; oldest first. */
  private final Map<String, Long> prepared = new LinkedHashMap<>();

  /**
   * Restores the ids.
   *
   * @param settings of the sink
   * @param subtask the number of this subtask
   * @param parallelism of now
   * @param restoredCheckpoint the checkpoint that the states are from
   * @param recovered the states that this subtask was given; none without a checkpoint
   */
  TransactionIds(SinkSettings<?> settings, int subtask, int parallelism, long restoredCheckpoint,
      Collection<SinkWriterState> recovered) {
    this.prefix = settings.transactionalIdPrefix();
    this.pooling = settings.isPooling();
    this.firstCheckpoint = restoredCheckpoint + 1;
    prefixes.add(prefix);
    for (SinkWriterState state : recovered) {
      prefixes.add(state.prefix());
      state.prepared().stream().sorted((a, b) -> Long.compare(a.checkpointId(), b.checkpointId()))
          .forEach(transaction -> prepared.put(transaction.transactionalId(), transaction.checkpointId()));
      requireFit(state);
    }
    boolean explicit = pooling && !recovered.isEmpty();
    this.owned = explicit
        ? recovered.stream().mapToInt(SinkWriterState::ownedSubtask).sorted().toArray()
        : new int[] {subtask};
    this.all = explicit
        ? Math.max(parallelism, recovered.iterator().next().allSubtasks())
        : parallelism;
  }

  private void requireFit(SinkWriterState state) {
    if (!pooling && state.explicit()) {
      throw new IllegalStateException("the sink " + prefix + " was restored from a state of the naming strategy"
          + " POOLING, and cannot go back to INCREMENTING: transactions under pooled ids would be aborted or left"
          + " open");
    }
    if (pooling && state.ownedSubtask() == SinkWriterState.UNKNOWN) {
      throw new IllegalStateException("the sink " + prefix + " was restored from a state of flink-connector-kafka"
          + " 3, which POOLING cannot read; take a savepoint with INCREMENTING first");
    }
  }

  /** The id for a transaction that begins for this checkpoint. */
  String next(long checkpoint) {
    if (!pooling) {
      return id(checkpoint);
    }
    long number = 0;
    while (prepared.containsKey(id(number))) {
      number++;
    }
    return id(number);
  }

  private String id(long number) {
    return prefix + "-" + owned[0] + "-" + number;
  }

  /**
   * The ids between the last checkpoint and this one, of checkpoints that have not come about. Flink's sink looks for
   * open transactions by counting ids up to the first that was never used, so no number may be left out.
   */
  List<String> skipped(long last, long checkpoint) {
    List<String> ids = new ArrayList<>();
    for (long number = last + 1; !pooling && number < checkpoint; number++) {
      ids.add(id(number));
    }
    return ids;
  }

  void prepared(String id, long checkpoint) {
    prepared.put(id, checkpoint);
  }

  /**
   * The committer has ended a transaction. Committers go by the order of checkpoints, so those of checkpoints before
   * have ended, too: word of one is lost if it ended while its state was being stored.
   */
  void finished(String id) {
    Long checkpoint = prepared.remove(id);
    if (checkpoint != null) {
      prepared.values().removeIf(other -> other < checkpoint);
    }
  }

  /** Whether an open transaction was left by an earlier run of this subtask, or one that it has taken over. */
  boolean isLeft(String id) {
    if (prepared.containsKey(id)) {
      return false;
    }
    for (String each : prefixes) {
      Matcher rest = REST.matcher(id.startsWith(each) ? id.substring(each.length()) : "");
      if (rest.matches()) {
        int owner = Integer.parseInt(rest.group(1)) % all;
        return Arrays.stream(owned).anyMatch(number -> number == owner)
            && (pooling || Long.parseLong(rest.group(2)) >= firstCheckpoint);
      }
    }
    return false;
  }

  /** The states of now, one for each owned number. */
  List<SinkWriterState> snapshot() {
    List<SinkWriterState> states = new ArrayList<>();
    for (int number : owned) {
      List<SinkWriterState.Prepared> mine = states.isEmpty()
          ? prepared.entrySet().stream().map(e -> new SinkWriterState.Prepared(e.getKey(), e.getValue())).toList()
          : List.of();
      states.add(new SinkWriterState(prefix, number, all, pooling, mine));
    }
    return states;
  }
}
