package dev.decant.fake.foreign;

import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * What Apache's client does with a fake cluster: produce, groups of both protocols, transactions, admin. Runs in a JVM
 * of its own with the jar of one version, and prints each step that holds. It uses what all of the versions have.
 */
@SuppressWarnings("NullAway") // a null fails the test
final class ApacheMain {
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final int RECORDS = 100;

  private final String bootstrap;

  private ApacheMain(String bootstrap) {
    this.bootstrap = bootstrap;
  }

  /** Runs all steps against the address that is the first argument. */
  public static void main(String[] arguments) throws Exception {
    Properties version = new Properties();
    try (InputStream in = KafkaProducer.class.getResourceAsStream("/kafka/kafka-version.properties")) {
      version.load(in);
    }
    System.out.println("version kafka-clients " + version.getProperty("version"));
    new ApacheMain(arguments[0]).run();
  }

  private void run() throws Exception {
    try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", bootstrap))) {
      admin.createTopics(List.of(new NewTopic("ap", 2, (short) 1), new NewTopic("ap-tx", 1, (short) 1))).all().get();
      admin.createPartitions(Map.of("ap", NewPartitions.increaseTo(3))).all().get();
      require(admin.describeTopics(List.of("ap")).allTopicNames().get().get("ap").partitions().size() == 3);
      ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "ap");
      require(admin.describeConfigs(List.of(topic)).all().get().get(topic).get("cleanup.policy") != null);
      done("admin");
      produce();
      require(consume("ap", "classic", "read_uncommitted", RECORDS).size() == RECORDS);
      done("groups classic");
      require(consume("ap", "consumer", "read_uncommitted", RECORDS).size() == RECORDS);
      done("groups consumer");
      transactions(admin);
      require(hasGroup(admin, "ap-classic"));
      require(admin.describeConsumerGroups(List.of("ap-consumer")).all().get().size() == 1);
      admin.deleteConsumerGroups(Set.of("ap-classic")).all().get();
      admin.deleteTopics(Set.of("ap-tx")).all().get();
      done("admin of groups");
    }
  }

  @SuppressWarnings("removal") // what all of the versions have
  private static boolean hasGroup(Admin admin, String group) throws Exception {
    return admin.listConsumerGroups().all().get().stream().anyMatch(g -> g.groupId().equals(group));
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw new IllegalStateException("the step does not hold");
    }
  }

  private static void done(String step) {
    System.out.println("done " + step);
  }

  private KafkaProducer<String, String> producer(Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put("bootstrap.servers", bootstrap);
    return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
  }

  private void produce() throws Exception {
    try (KafkaProducer<String, String> producer = producer(Map.of("compression.type", "gzip"))) {
      for (int i = 0; i < RECORDS; i++) {
        var unused = producer.send(new ProducerRecord<>("ap", "key-" + i, "value-" + i)).get();
      }
    }
    done("produce");
  }

  private List<String> consume(String topic, String protocol, String isolation, int count) {
    Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "group.id", topic + "-" + protocol,
        "group.protocol", protocol, "auto.offset.reset", "earliest", "isolation.level", isolation,
        "enable.auto.commit", false);
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings, new StringDeserializer(),
        new StringDeserializer())) {
      consumer.subscribe(List.of(topic));
      List<String> values = new ArrayList<>();
      while (values.size() < count) { // bounded by the parent
        consumer.poll(SHORT).forEach(r -> values.add(r.value()));
      }
      consumer.commitSync();
      long committed = consumer.committed(consumer.assignment()).values().stream()
          .mapToLong(offset -> offset == null ? 0 : offset.offset()).sum();
      require(committed >= count);
      return values;
    }
  }

  private void transactions(Admin admin) throws Exception {
    try (KafkaProducer<String, String> producer = producer(Map.of("transactional.id", "ap"));
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(Map.of("bootstrap.servers", bootstrap, "group.id",
            "ap-offsets"), new StringDeserializer(), new StringDeserializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      var aborted = producer.send(new ProducerRecord<>("ap-tx", "aborted"));
      aborted.get();
      producer.abortTransaction();
      producer.beginTransaction();
      var committed = producer.send(new ProducerRecord<>("ap-tx", "committed"));
      TopicPartition partition = new TopicPartition("ap", 0);
      producer.sendOffsetsToTransaction(Map.of(partition, new OffsetAndMetadata(7)), consumer.groupMetadata());
      producer.commitTransaction();
      committed.get();
      require(consumer.committed(Set.of(partition)).get(partition).offset() == 7);
    }
    require(consume("ap-tx", "classic", "read_committed", 1).equals(List.of("committed")));
    require(admin.listTransactions().all().get().stream().anyMatch(t -> t.transactionalId().equals("ap")));
    done("transactions");
  }
}
