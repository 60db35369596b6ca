package dev.decant.faults;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.KafkaClientBuilder;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.AnyTopicProducer;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.security.Credentials;
import dev.decant.kafka.security.Sasl;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.micrometer.KafkaClientMetrics;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.Listener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Two clients that live on while topics, partitions, members, transactional ids, other clients, passwords and addresses
 * of brokers come and go. Each round of each kind must succeed. One thread.
 */
final class Churn implements AutoCloseable {
  private static final String USER = "churn";
  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration RESTART = Duration.ofMinutes(3);
  /** Number of later rounds that use a topic before it is deleted. */
  private static final int TOPIC_ROUNDS = 2;
  private static final int RECORDS = 50;
  private static final String STABLE = "stable";
  private static final List<GroupProtocol> PROTOCOLS = List.of(GroupProtocol.values());

  private final KafkaCluster cluster;
  private final Admin admin;
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final KafkaClient client;
  private final KafkaClientMetrics metrics;
  private final AnyTopicProducer<String, String> producer;
  /** A member of each protocol that reads all topics of the churn. */
  private final List<Consumer<String, String>> members;
  /** A client whose connections authenticate again every few seconds. */
  private final KafkaClient authenticated;
  private final Producer<String, String> authenticatedProducer;
  private volatile String password = "secret-0";
  private int round;

  /** Builds on a cluster of three behind proxies; node 1 keeps its address, and clients start there. */
  Churn(KafkaCluster cluster, Listener listener) throws InterruptedException {
    this.cluster = cluster;
    admin = Admin.create(Map.of("bootstrap.servers", cluster.directBootstrap()));
    cluster.createTopic(STABLE, 3);
    cluster.setScramPassword(USER, password);
    client = settings(KafkaClient.builder("127.0.0.1:" + cluster.proxy(1).port())).build();
    metrics = new KafkaClientMetrics(client, "churn");
    metrics.bindTo(registry);
    producer = client.producer(Serdes.string(), Serdes.string()).openForAnyTopic();
    members = PROTOCOLS.stream().map(protocol -> member(client, "readers-" + protocol.text(), protocol)).toList();
    authenticated = secured(listener);
    authenticatedProducer = authenticated.producer(Serdes.string(), Serdes.string()).topic(STABLE).open();
  }

  private static KafkaClientBuilder settings(KafkaClientBuilder builder) {
    return builder.metadataMaxAge(Duration.ofSeconds(1)).connectionsMaxIdle(Duration.ofSeconds(10))
        .runtimeCheck(false);
  }

  private KafkaClient secured(Listener listener) {
    return settings(KafkaClient.builder(cluster.bootstrap(listener)))
        .sasl(Sasl.scramSha512(() -> Credentials.of(USER, password.toCharArray()))).build();
  }

  private static Consumer<String, String> member(KafkaClient of, String group, GroupProtocol protocol) {
    return of.consumer(Serdes.string(), Serdes.string()).group(group).groupProtocol(protocol)
        .subscribePattern("churn-.*").offsetReset(OffsetReset.EARLIEST).open();
  }

  /** Does each kind once; every fourth round moves a broker, too. */
  void round() throws InterruptedException, ExecutionException {
    round++;
    String topic = "churn-" + round;
    sendToANewTopic(topic);
    growTheTopic(topic);
    if (round > TOPIC_ROUNDS) {
      admin.deleteTopics(List.of("churn-" + (round - TOPIC_ROUNDS))).all().get();
    }
    letAnotherClientComeAndGo(topic);
    changeThePassword();
    if (round % 4 == 0) {
      moveABroker();
    }
    for (Consumer<String, String> member : members) {
      member.poll(POLL, record -> {});
    }
  }

  private void sendToANewTopic(String topic) throws InterruptedException, ExecutionException {
    admin.createTopics(List.of(new NewTopic(topic, 2, (short) 3))).all().get();
    for (int i = 0; i < RECORDS; i++) {
      producer.send(topic, "k" + i, "v");
    }
    producer.sendAndWait(topic, "last", "v");
  }

  private void growTheTopic(String topic) throws InterruptedException, ExecutionException {
    admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(4))).all().get();
    Waits.until("four partitions of " + topic, () -> partitions(topic) == 4);
    producer.sendAndWait(topic, "grown", "v");
  }

  private int partitions(String topic) {
    try {
      producer.sendAndWait(topic, "k", "v");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return producer.partitions(topic);
  }

  /** A client with a member of each long-lived group, a transaction of a new id and a group that nobody else is in. */
  private void letAnotherClientComeAndGo(String topic) throws InterruptedException, ExecutionException {
    try (KafkaClient other = settings(KafkaClient.builder(cluster.bootstrap())).build()) {
      GroupProtocol protocol = PROTOCOLS.get(round % PROTOCOLS.size());
      try (Consumer<String, String> beside = member(other, "readers-" + protocol.text(), protocol);
          Consumer<String, String> alone = member(other, "alone-" + round, protocol);
          Transactions transactions = other.transactions("churn-" + round).open();
          Producer<String, String> within = other.producer(Serdes.string(), Serdes.string()).topic(topic)
              .transactions(transactions).open()) {
        transactions.begin();
        within.send("k", "v");
        transactions.commit(WAIT);
        int[] read = {0};
        Waits.until("records at a member that came", () -> {
          poll(beside);
          read[0] += poll(alone);
          members.forEach(Churn::poll);
          return read[0] > 0;
        });
      }
      admin.deleteConsumerGroups(List.of("alone-" + round)).all().get();
    }
  }

  private static int poll(Consumer<String, String> consumer) {
    try {
      return consumer.poll(POLL, record -> {});
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }

  private void changeThePassword() throws InterruptedException {
    String next = "secret-" + round;
    cluster.setScramPassword(USER, next);
    password = next;
    authenticatedProducer.sendAndWait("k", "v");
  }

  private void moveABroker() throws InterruptedException, ExecutionException {
    int id = 2 + round / 4 % 2;
    cluster.node(id).stop();
    cluster.move(id);
    cluster.node(id).restart(RESTART);
    cluster.awaitInSync(STABLE);
    producer.sendAndWait(STABLE, "k", "v");
    authenticatedProducer.sendAndWait("k", "v");
  }

  Footprint footprint() {
    int links = client.status().connections().size() + authenticated.status().connections().size();
    return Footprint.take(links, registry.getMeters().size());
  }

  @Override
  public void close() {
    members.forEach(Consumer::close);
    producer.close(WAIT);
    metrics.close();
    client.close();
    authenticatedProducer.close(WAIT);
    authenticated.close();
    admin.close(Duration.ofNanos(TimeUnit.SECONDS.toNanos(30)));
  }
}
