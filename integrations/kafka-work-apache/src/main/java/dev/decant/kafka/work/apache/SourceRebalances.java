package dev.decant.kafka.work.apache;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.RebalanceListener;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the assigned partitions, and calls the work's listener. The poll throws what the listener has thrown, because
 * Apache's consumers wrap it in different ways.
 */
final class SourceRebalances implements ConsumerRebalanceListener {
  private final Map<org.apache.kafka.common.TopicPartition, SourcePartition> partitions;
  private final RebalanceListener listener;
  private @Nullable Throwable failure;

  private interface Call {
    void call(List<TopicPartition> ids) throws InterruptedException;
  }

  SourceRebalances(Map<org.apache.kafka.common.TopicPartition, SourcePartition> partitions,
      RebalanceListener listener) {
    this.partitions = partitions;
    this.listener = listener;
  }

  @Override
  public void onPartitionsAssigned(Collection<org.apache.kafka.common.TopicPartition> assigned) {
    assigned.forEach(id -> partitions.put(id, new SourcePartition(id)));
    call(assigned, listener::onAssigned);
  }

  @Override
  public void onPartitionsRevoked(Collection<org.apache.kafka.common.TopicPartition> revoked) {
    leave(revoked, listener::onRevoked);
  }

  @Override
  public void onPartitionsLost(Collection<org.apache.kafka.common.TopicPartition> lost) {
    leave(lost, listener::onLost);
  }

  private void leave(Collection<org.apache.kafka.common.TopicPartition> leaving, Call call) {
    for (org.apache.kafka.common.TopicPartition id : leaving) {
      SourcePartition partition = partitions.get(id);
      if (partition != null) {
        partition.drop();
      }
    }
    call(leaving, call);
    leaving.forEach(partitions::remove);
  }

  private void call(Collection<org.apache.kafka.common.TopicPartition> ids, Call call) {
    if (ids.isEmpty()) {
      return;
    }
    List<TopicPartition> same = new ArrayList<>();
    ids.forEach(id -> same.add(ApacheOffsets.decants(id)));
    try {
      call.call(same);
    } catch (Exception | Error e) {
      if (failure == null) {
        failure = e;
      }
    }
  }

  /** Throws the first exception of the listener, once. */
  void throwFailure() throws InterruptedException {
    Throwable thrown = failure;
    failure = null;
    switch (thrown) {
      case null -> {
      }
      case InterruptedException e -> throw e;
      case Error e -> throw e;
      case RuntimeException e -> throw e;
      default -> throw new IllegalStateException(thrown);
    }
  }
}
