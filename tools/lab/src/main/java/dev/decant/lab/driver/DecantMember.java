package dev.decant.lab.driver;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A member of a group by Decant's consumer. */
final class DecantMember implements Member.Client, RebalanceListener {
  private static final Duration POLL = Duration.ofMillis(100);

  private final Member member;
  private final KafkaClient client;
  private final Consumer<byte[], byte[]> consumer;

  DecantMember(Member member, WorkSpec spec, Map<String, String> settings) {
    this.member = member;
    client = DecantClients.builder(spec).build();
    try {
      consumer = client.consumer(Serdes.bytes(), Serdes.bytes()).properties(settings).group(spec.topic())
          .subscribe(spec.topic())
          .autoCommit(false).offsetReset(OffsetReset.EARLIEST).rebalanceListener(this).open();
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  @Override
  public void poll() throws InterruptedException {
    consumer.poll(POLL, record -> member.onRecord(record.partition(), record.offset()));
  }

  @Override
  public boolean commit() throws InterruptedException {
    try {
      consumer.commit();
      return true;
    } catch (KafkaException e) {
      return false;
    }
  }

  @Override
  public void end() {
    consumer.close();
    client.close();
  }

  @Override
  public void onAssigned(List<TopicPartition> partitions) {
    partitions.forEach(p -> member.onAssigned(p.partition()));
  }

  @Override
  public void onRevoked(List<TopicPartition> partitions) {
    try {
      member.onRevoked(this);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    onLost(partitions);
  }

  @Override
  public void onLost(List<TopicPartition> partitions) {
    partitions.forEach(p -> member.onReleased(p.partition()));
  }
}
