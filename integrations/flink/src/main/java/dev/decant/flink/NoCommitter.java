package dev.decant.flink;

import dev.decant.kafka.PreparedTransaction;
import java.util.Collection;
import org.apache.flink.api.connector.sink2.Committer;

/** The committer of a sink without transactions, which has nothing to commit. */
final class NoCommitter implements Committer<PreparedTransaction> {
  @Override
  public void commit(Collection<CommitRequest<PreparedTransaction>> requests) {}

  @Override
  public void close() {}
}
