package dev.decant.fake.api;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Partition;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ProduceResponse.PartitionProduceResponse;
import dev.decant.kafka.protocol.message.ProduceResponse.TopicProduceResponse;
import dev.decant.loop.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A Produce request that waits until the replicas in sync have its batches, or until its timeout. */
final class PendingProduce implements Runnable {
  private final Cluster cluster;
  private final int timeoutMillis;
  private final Consumer<List<TopicProduceResponse>> answer;
  private final Timer timer = new Timer(this::giveUp);
  private final List<Wait> waits = new ArrayList<>();
  /** The partitions of all waits, also of those that have ended. */
  private final List<Partition> watched = new ArrayList<>();
  private List<TopicProduceResponse> topics = List.of();

  /** A batch that replicas lack: its partition, the offset after it, and the response that takes its outcome. */
  private record Wait(Partition partition, long endOffset, int leaderEpoch, PartitionProduceResponse response) {}

  PendingProduce(Cluster cluster, int timeoutMillis, Consumer<List<TopicProduceResponse>> answer) {
    this.cluster = cluster;
    this.timeoutMillis = timeoutMillis;
    this.answer = answer;
  }

  /** Lets the response wait for a batch. */
  void await(Partition partition, long endOffset, PartitionProduceResponse response) {
    waits.add(new Wait(partition, endOffset, partition.leaderEpoch(), response));
  }

  /** Starts the wait after all batches are appended; responds at once if there is nothing to wait for. */
  void start(List<TopicProduceResponse> responses) {
    topics = responses;
    waits.removeIf(this::isOver); // a leader may have lost its disk after an append
    if (waits.isEmpty()) {
      answer.accept(topics);
      return;
    }
    for (Wait wait : waits) {
      watched.add(wait.partition());
      wait.partition().watch(this);
    }
    cluster.schedule(timer, timeoutMillis);
  }

  /** Checks the waits after a change of one of the partitions. */
  @Override
  public void run() {
    waits.removeIf(this::isOver);
    if (waits.isEmpty()) {
      finish();
    }
  }

  private boolean isOver(Wait wait) {
    Partition partition = wait.partition();
    if (partition.leaderEpoch() != wait.leaderEpoch()) {
      fail(wait, ErrorCode.NOT_LEADER_OR_FOLLOWER);
    } else if (partition.log().highWatermark() < wait.endOffset()) {
      return false;
    } else if (partition.lacksReplicas(cluster.release())) {
      fail(wait, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
    }
    return true;
  }

  private static void fail(Wait wait, ErrorCode error) {
    wait.response().errorCode(error.code()).baseOffset(-1).logAppendTimeMs(-1).logStartOffset(-1);
  }

  private void giveUp() {
    waits.forEach(wait -> fail(wait, ErrorCode.REQUEST_TIMED_OUT));
    finish();
  }

  private void finish() {
    cluster.cancel(timer);
    waits.clear();
    watched.forEach(partition -> partition.unwatch(this));
    answer.accept(topics);
  }
}
