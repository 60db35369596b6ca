package dev.decant.kafka.client;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.RebalanceListener;
import java.util.ArrayList;
import java.util.List;

/** Keeps each call of a rebalance listener. */
final class RebalanceNotes implements RebalanceListener {
  final List<String> told = new ArrayList<>();

  @Override
  public void onAssigned(List<TopicPartition> partitions) {
    told.add("assigned " + partitions);
  }

  @Override
  public void onRevoked(List<TopicPartition> partitions) {
    told.add("revoked " + partitions);
  }

  @Override
  public void onLost(List<TopicPartition> partitions) {
    told.add("lost " + partitions);
  }
}
