package dev.decant.flink;

import java.util.List;

/**
 * What a writer stores with a checkpoint: the state of Flink's own writer, under other names. For Flink alone.
 *
 * @param prefix of the transactional ids
 * @param ownedSubtask the number of a subtask whose ids belong to this state; -1 in a state of version 1
 * @param allSubtasks how many subtasks have ids; -1 in a state of version 1
 * @param explicit true if a subtask owns the ids of the states that it is given; false if it owns those of its number
 * @param prepared the transactions that are to be committed with a checkpoint, or were committed since the one before
 */
public record SinkWriterState(String prefix, int ownedSubtask, int allSubtasks, boolean explicit,
    List<Prepared> prepared) {

  static final int UNKNOWN = -1;

  /** Copies the list. */
  public SinkWriterState {
    prepared = List.copyOf(prepared);
  }

  /**
   * A transaction that only its committer may end.
   *
   * @param transactionalId of the transaction
   * @param checkpointId of the checkpoint that it belongs to
   */
  public record Prepared(String transactionalId, long checkpointId) {}
}
