package dev.decant.kafka.producer;

import dev.decant.kafka.clientmetrics.PushSource;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The labels of a producer's metrics when a broker asks for them (KIP-714).
 *
 * @param settings of the producer
 */
record ProducerLabels(ProducerSettings settings) implements PushSource {
  @Override
  public boolean isProducer() {
    return true;
  }

  @Override
  public Map<String, String> labels() {
    Map<String, String> labels = new LinkedHashMap<>();
    String rack = settings.rack();
    if (rack != null) {
      labels.put(CLIENT_RACK, rack);
    }
    Transactions transactions = settings.transactions();
    if (transactions != null) {
      labels.put(TRANSACTIONAL_ID, transactions.transactionalId());
    }
    return labels;
  }

  @Override
  public int assignedPartitions() {
    return 0;
  }

  @Override
  public long largestLag() {
    return -1;
  }
}
