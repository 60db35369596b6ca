package dev.decant.flink;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.connector.sink2.InitContext;
import org.jspecify.annotations.Nullable;

/**
 * Tells a writer which transactions its committer has ended, since ids are free then. Both run in one JVM
 * ({@link DecantKafkaSink#addPostCommitTopology}), and find each other by the job and the sink's prefix, subtask and
 * attempt. Each of them opens its side when it starts, and closes it when it ends; the channel is gone with the second.
 *
 * <p>Any thread.
 */
final class FinishedTransactions {
  private static final Map<Key, FinishedTransactions> ALL = new ConcurrentHashMap<>();

  private final Queue<String> ids = new ConcurrentLinkedQueue<>();
  /** Changed within {@code ALL.compute} of the key. */
  private boolean hasWriter;
  private boolean hasCommitter;

  /**
   * What a writer and its committer have in common.
   *
   * @param job in which they run
   * @param prefix of the sink's transactional ids
   * @param subtask the number of both
   * @param attempt of both
   */
  record Key(JobID job, String prefix, int subtask, int attempt) {
    Key(SinkSettings<?> settings, InitContext context) {
      this(context.getJobInfo().getJobId(), settings.transactionalIdPrefix(),
          context.getTaskInfo().getIndexOfThisSubtask(), context.getTaskInfo().getAttemptNumber());
    }

    /**
     * The {@code transactional.id} in the settings of a producer. It is never opened, since each transaction has an id
     * of its own. It names the client in metrics, unless {@code client.id} does.
     */
    String clientName(String part) {
      return prefix + "-" + subtask + "-" + part;
    }
  }

  private FinishedTransactions() {}

  /** The side of a writer. */
  static FinishedTransactions openWriter(Key key) {
    return open(key, true);
  }

  /** The side of a committer. */
  static FinishedTransactions openCommitter(Key key) {
    return open(key, false);
  }

  private static FinishedTransactions open(Key key, boolean writer) {
    return ALL.compute(key, (same, known) -> {
      FinishedTransactions channel = known == null ? new FinishedTransactions() : known;
      if (writer ? channel.hasWriter : channel.hasCommitter) {
        throw new IllegalStateException("two sinks of the job have the prefix " + key.prefix()
            + " of transactional ids; give each sink a prefix of its own (setTransactionalIdPrefix)");
      }
      if (writer) {
        channel.hasWriter = true;
      } else {
        channel.hasCommitter = true;
      }
      return channel;
    });
  }

  void closeWriter(Key key) {
    close(key, true);
  }

  void closeCommitter(Key key) {
    close(key, false);
  }

  private void close(Key key, boolean writer) {
    ALL.computeIfPresent(key, (same, known) -> {
      if (known != this) {
        return known; // it was closed before, and the key has another channel since
      }
      if (writer) {
        hasWriter = false;
      } else {
        hasCommitter = false;
      }
      return hasWriter || hasCommitter ? this : null;
    });
  }

  /** The transaction is committed, or can never be. */
  void add(String transactionalId) {
    ids.add(transactionalId);
  }

  /** The next id that was added; null for none. */
  @Nullable
  String poll() {
    return ids.poll();
  }
}
