package dev.decant.testkit.broker;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TopicListing;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Serves a parent's requests with Apache's admin client. One thread. */
final class TopicAdmin {
  private static final int POLL_MILLIS = 20;

  private final String bootstrap;
  private final Map<String, Object> settings;
  private @Nullable Admin admin;

  TopicAdmin(String bootstrap) {
    this(bootstrap, Map.of());
  }

  /**
   * Prepares a client.
   *
   * @param bootstrap the cluster's address
   * @param security settings by Kafka's names; addresses and timeouts are this class's own
   */
  TopicAdmin(String bootstrap, Map<String, String> security) {
    this.bootstrap = bootstrap;
    settings = new HashMap<>(security);
    settings.putAll(Map.of("bootstrap.servers", bootstrap, "reconnect.backoff.ms", "10",
        "reconnect.backoff.max.ms", "50", "retry.backoff.ms", "20", "default.api.timeout.ms", "50000"));
  }

  /** Executes one request; its words are those of {@code KafkaCluster}, with commas between topics. */
  String execute(String[] words) throws ExecutionException, InterruptedException {
    switch (words[0]) {
      case "ready" -> awaitBrokers(Integer.parseInt(words[1]));
      case "reach" -> {
        return Integer.toString(client().describeCluster().nodes().get().size());
      }
      case "create" -> create(words);
      case "delete" -> delete(names(words[1]));
      case "group" -> configureGroup(words[1], words[2], words[3]);
      case "ends" -> {
        return ends(names(words[1]));
      }
      case "leader" -> {
        return Integer.toString(describe(words[1]).partitions().get(Integer.parseInt(words[2])).leader().id());
      }
      case "replicas" -> {
        return describe(words[1]).partitions().get(Integer.parseInt(words[2])).replicas().stream()
            .map(Node::idString).collect(Collectors.joining(" "));
      }
      case "sync" -> {
        while (!isInSync(words[1])) {
          Thread.sleep(POLL_MILLIS);
        }
      }
      case "stop" -> Thread.ofPlatform().start(() -> System.exit(0));
      default -> {
        return new SecurityAdmin(client()).execute(words);
      }
    }
    return "";
  }

  private Admin client() {
    Admin current = admin;
    if (current == null) {
      current = Admin.create(settings);
      admin = current;
    }
    return current;
  }

  /** Waits until this node and as many others as required are in the cluster's metadata. */
  private void awaitBrokers(int count) throws ExecutionException, InterruptedException {
    while (!areKnown(count)) {
      Thread.sleep(POLL_MILLIS);
    }
  }

  private boolean areKnown(int count) throws ExecutionException, InterruptedException {
    try {
      var nodes = client().describeCluster().nodes().get();
      return nodes.size() >= count && nodes.stream().anyMatch(node -> bootstrap.endsWith(":" + node.port()));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TimeoutException) {
        return false; // the cluster starts slowly; the parent's timeout ends this wait
      }
      throw e;
    }
  }

  private static List<String> names(String word) {
    return List.of(word.split(",", -1));
  }

  /**
   * Creates topics. The words are the topics, their partitions, their replicas, and any number of settings such as
   * {@code retention.bytes=1}.
   */
  private void create(String[] words) throws ExecutionException, InterruptedException {
    List<String> topics = names(words[1]);
    int partitions = Integer.parseInt(words[2]);
    short replicas = Short.parseShort(words[3]);
    Map<String, String> settings = new HashMap<>();
    for (int i = 4; i < words.length; i++) {
      String[] setting = words[i].split("=", 2);
      settings.put(setting[0], setting[1]);
    }
    client().createTopics(topics.stream()
        .map(topic -> new NewTopic(topic, partitions, replicas).configs(settings)).toList()).all().get();
    // Metadata may name a leader that does not lead yet. Such a leader refuses the first batch, and drops a record with
    // acks=0: two tests of the producer failed for that. So each leader must respond for its partitions before this
    // method returns.
    while (!areLed(topics, partitions) || !areServed(topics)) {
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Sets the timeouts of a group under the consumer protocol; members of classic groups set their own. */
  private void configureGroup(String group, String sessionMillis, String intervalMillis)
      throws ExecutionException, InterruptedException {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.GROUP, group);
    List<AlterConfigOp> settings = List.of(
        new AlterConfigOp(new ConfigEntry("consumer.session.timeout.ms", sessionMillis), AlterConfigOp.OpType.SET),
        new AlterConfigOp(new ConfigEntry("consumer.heartbeat.interval.ms", intervalMillis), AlterConfigOp.OpType.SET));
    client().incrementalAlterConfigs(Map.of(resource, settings)).all().get();
  }

  private void delete(List<String> topics) throws ExecutionException, InterruptedException {
    Set<Uuid> before = ids();
    for (KafkaFuture<Void> deleted : client().deleteTopics(topics).topicNameValues().values()) {
      try {
        deleted.get();
      } catch (ExecutionException e) {
        // Otherwise the topic is gone, which is the aim.
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
          throw e;
        }
      }
    }
    // The controller responds before the brokers have heard of it: a busy one went on to serve a deleted topic.
    Set<String> deleted = Set.copyOf(topics);
    while (isListed(deleted, before)) {
      Thread.sleep(POLL_MILLIS);
    }
  }

  private Set<Uuid> ids() throws ExecutionException, InterruptedException {
    return client().listTopics().listings().get().stream().map(TopicListing::topicId).collect(Collectors.toSet());
  }

  /** Returns true if a topic of these names is still the one that was there before. A client may create it again. */
  private boolean isListed(Set<String> names, Set<Uuid> before) throws ExecutionException, InterruptedException {
    return client().listTopics().listings().get().stream()
        .anyMatch(topic -> names.contains(topic.name()) && before.contains(topic.topicId()));
  }

  private boolean areLed(List<String> topics, int partitions) throws ExecutionException, InterruptedException {
    try {
      return describe(topics).values().stream().map(TopicDescription::partitions)
          .allMatch(infos -> infos.size() == partitions && infos.stream().allMatch(info -> info.leader() != null));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AuthorizationException) {
        throw e; // no other cause ends by waiting
      }
      return false; // this broker does not know the topic yet
    }
  }

  private boolean areServed(List<String> topics) throws ExecutionException, InterruptedException {
    try {
      ends(topics);
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RetriableException) {
        return false; // another broker does not know the topics yet
      }
      throw e;
    }
  }

  private boolean isInSync(String topic) throws InterruptedException {
    try {
      return describe(topic).partitions().stream()
          .allMatch(info -> info.leader() != null && info.isr().size() == info.replicas().size());
    } catch (ExecutionException e) {
      return false; // this broker has just restarted
    }
  }

  private TopicDescription describe(String topic) throws ExecutionException, InterruptedException {
    return Objects.requireNonNull(describe(List.of(topic)).get(topic));
  }

  private Map<String, TopicDescription> describe(List<String> topics) throws ExecutionException, InterruptedException {
    return client().describeTopics(topics).allTopicNames().get();
  }

  /** Returns the end offsets, with spaces between the partitions of a topic and semicolons between topics. */
  private String ends(List<String> topics) throws ExecutionException, InterruptedException {
    Map<String, List<TopicPartition>> partitions = new LinkedHashMap<>();
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    Map<String, TopicDescription> described = describe(topics);
    for (String topic : topics) {
      List<TopicPartition> own = Objects.requireNonNull(described.get(topic)).partitions().stream()
          .map(TopicPartitionInfo::partition).sorted().map(number -> new TopicPartition(topic, number)).toList();
      partitions.put(topic, own);
      own.forEach(partition -> asked.put(partition, OffsetSpec.latest()));
    }
    Map<TopicPartition, ListOffsetsResultInfo> found = client().listOffsets(asked).all().get();
    return partitions.values().stream()
        .map(own -> own.stream().map(partition -> Objects.requireNonNull(found.get(partition)).offset())
            .map(String::valueOf).collect(Collectors.joining(" ")))
        .collect(Collectors.joining(";"));
  }
}
