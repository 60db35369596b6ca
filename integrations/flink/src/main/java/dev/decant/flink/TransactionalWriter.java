package dev.decant.flink;

import dev.decant.kafka.PreparedTransaction;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.flink.api.connector.sink2.InitContext;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the elements between two checkpoints as one transaction. Each checkpoint prepares it and begins the next one,
 * under another id, on the same producer. The committer ends it with a producer of its own, by what the checkpoint has
 * stored, so nothing differs before and after a restart.
 *
 * @param <T> type of elements
 */
final class TransactionalWriter<T> extends RecordWriter<T> {
  private static final Logger LOGGER = LoggerFactory.getLogger(TransactionalWriter.class);

  private final FinishedTransactions.Key key;
  private final FinishedTransactions finished;
  private final TransactionIds ids;
  /** The checkpoint that the present transaction began for. */
  private long checkpoint;
  /** A transaction is open: begun, and not prepared. */
  private boolean open;

  TransactionalWriter(SinkSettings<T> settings, WriterInitContext context, Collection<SinkWriterState> recovered)
      throws IOException {
    super(settings, context, new FinishedTransactions.Key(settings, context).clientName("writer"));
    this.key = new FinishedTransactions.Key(settings, context);
    this.finished = openChannel();
    boolean opened = false;
    try {
      this.checkpoint = context.getRestoredCheckpointId().orElse(InitContext.INITIAL_CHECKPOINT_ID - 1);
      this.ids = new TransactionIds(settings, context.getTaskInfo().getIndexOfThisSubtask(),
          context.getTaskInfo().getNumberOfParallelSubtasks(), checkpoint, recovered);
      abortLeft(settings.producer());
      begin(checkpoint + 1);
      opened = true;
    } finally {
      if (!opened) {
        finished.closeWriter(key);
        super.close();
      }
    }
  }

  private FinishedTransactions openChannel() throws IOException {
    boolean opened = false;
    try {
      FinishedTransactions channel = FinishedTransactions.openWriter(key);
      opened = true;
      return channel;
    } finally {
      if (!opened) {
        super.close();
      }
    }
  }

  /** An earlier run may have begun transactions after its last checkpoint: they would hold up readers. */
  private void abortLeft(Properties settings) throws IOException {
    for (String id : OpenTransactions.list(settings)) {
      if (ids.isLeft(id)) {
        LOGGER.info("Aborting the transaction {} of an earlier run", id);
        producer.initTransactions(id);
      }
    }
  }

  private void begin(long next) {
    for (String skipped : ids.skipped(checkpoint, next)) {
      producer.initTransactions(skipped);
    }
    producer.initTransactions(ids.next(next));
    producer.beginTransaction();
    checkpoint = next;
    open = true;
  }

  @Override
  public Collection<PreparedTransaction> prepareCommit() throws IOException {
    Optional<PreparedTransaction> prepared = producer.prepareTransaction();
    open = false;
    checkFailure();
    if (prepared.isEmpty()) {
      producer.abortTransaction(); // there is nothing to be aborted: no broker knows of it
      return List.of();
    }
    ids.prepared(prepared.get().transactionalId(), checkpoint);
    return List.of(prepared.get());
  }

  @Override
  public List<SinkWriterState> snapshotState(long checkpointId) throws IOException {
    for (String id = finished.poll(); id != null; id = finished.poll()) {
      ids.finished(id);
    }
    List<SinkWriterState> states = ids.snapshot();
    if (!open) { // else the input has ended: Flink prepares no transaction any more, and the open one stays empty
      begin(checkpointId + 1);
    }
    return states;
  }

  /**
   * Aborts what is open, if brokers respond. Otherwise the next run does, or the transaction's time-out. The abort
   * fails the records that are not stored yet, so their outcomes are ignored from here on.
   */
  @Override
  public void close() {
    ignoreOutcomes();
    try {
      if (open) {
        open = false;
        producer.abortTransaction();
      }
    } catch (RuntimeException e) {
      LOGGER.debug("The open transaction is left to the next run", e);
    } finally {
      finished.closeWriter(key);
      super.close();
    }
  }
}
