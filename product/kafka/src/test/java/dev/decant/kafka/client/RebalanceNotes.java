package dev.decant.kafka.client;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.RebalanceListener;
import java.util.ArrayList;
import java.util.List;

/** Keeps each call of a rebalance listener. */
final class RebalanceNotes implements RebalanceListener {
  final List<String> recorded = new ArrayList<>();

  @Override
  public void onAssigned(List<TopicPartition> partitions) {
    recorded.add("assigned " + partitions);
  }

  @Override
  public void onRevoked(List<TopicPartition> partitions) {
    recorded.add("revoked " + partitions);
  }

  @Override
  public void onLost(List<TopicPartition> partitions) {
    recorded.add("lost " + partitions);
  }
}
