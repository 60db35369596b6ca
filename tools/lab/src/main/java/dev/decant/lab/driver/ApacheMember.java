package dev.decant.lab.driver;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** A member of a group by Apache's interface. */
final class ApacheMember implements Member.Client, ConsumerRebalanceListener {
  private static final Duration POLL = Duration.ofMillis(100);

  private final Member member;
  private final Consumer<byte[], byte[]> consumer;

  ApacheMember(Member member, WorkSpec spec, Map<String, String> own) {
    this.member = member;
    Map<String, Object> settings = spec.clientSettings();
    settings.putAll(own);
    settings.put("group.id", spec.topic());
    settings.put("enable.auto.commit", "false");
    settings.put("auto.offset.reset", "earliest");
    consumer = ApacheClients.consumer(spec, settings);
    consumer.subscribe(List.of(spec.topic()), this);
  }

  @Override
  public void poll() {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
      member.onRecord(record.partition(), record.offset());
    }
  }

  @Override
  public boolean commit() {
    try {
      consumer.commitSync();
      return true;
    } catch (KafkaException e) {
      return false;
    }
  }

  @Override
  public void end() {
    consumer.close();
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    partitions.forEach(p -> member.onAssigned(p.partition()));
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    try {
      member.onRevoked(this);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    onPartitionsLost(partitions);
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    partitions.forEach(p -> member.onReleased(p.partition()));
  }
}
