package dev.decant.testkit.broker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Answers a parent's questions with Apache's admin client. One thread. */
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
   * @param bootstrap where the cluster is
   * @param security settings by Kafka's names; those of time and place are this class's own
   */
  TopicAdmin(String bootstrap, Map<String, String> security) {
    this.bootstrap = bootstrap;
    settings = new HashMap<>(security);
    settings.putAll(Map.of("bootstrap.servers", bootstrap, "reconnect.backoff.ms", "10",
        "reconnect.backoff.max.ms", "50", "default.api.timeout.ms", "50000"));
  }

  /** Carries out one request; the words are those of {@code KafkaCluster}. */
  String execute(String[] words) throws ExecutionException, InterruptedException {
    switch (words[0]) {
      case "ready" -> awaitBrokers(Integer.parseInt(words[1]));
      case "reach" -> {
        return Integer.toString(client().describeCluster().nodes().get().size());
      }
      case "create" -> create(words);
      case "delete" -> delete(words[1]);
      case "group" -> configureGroup(words[1], words[2], words[3]);
      case "ends" -> {
        return ends(words[1]);
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

  /** Until this node and as many others as asked for are in the cluster's metadata. */
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
        return false; // a slow start; the parent says how long is too long
      }
      throw e;
    }
  }

  /** The topic, its partitions, its replicas, and any number of settings such as {@code retention.bytes=1}. */
  private void create(String[] words) throws ExecutionException, InterruptedException {
    String topic = words[1];
    int partitions = Integer.parseInt(words[2]);
    NewTopic description = new NewTopic(topic, partitions, Short.parseShort(words[3]));
    Map<String, String> settings = new HashMap<>();
    for (int i = 4; i < words.length; i++) {
      String[] setting = words[i].split("=", 2);
      settings.put(setting[0], setting[1]);
    }
    client().createTopics(List.of(description.configs(settings))).all().get();
    while (!isLed(topic, partitions)) {
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** For groups under the consumer protocol; members of others say it themselves. */
  private void configureGroup(String group, String sessionMillis, String intervalMillis)
      throws ExecutionException, InterruptedException {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.GROUP, group);
    List<AlterConfigOp> settings = List.of(
        new AlterConfigOp(new ConfigEntry("consumer.session.timeout.ms", sessionMillis), AlterConfigOp.OpType.SET),
        new AlterConfigOp(new ConfigEntry("consumer.heartbeat.interval.ms", intervalMillis), AlterConfigOp.OpType.SET));
    client().incrementalAlterConfigs(Map.of(resource, settings)).all().get();
  }

  private void delete(String topic) throws ExecutionException, InterruptedException {
    try {
      client().deleteTopics(List.of(topic)).all().get();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) { // else it is gone, as it should be
        throw e;
      }
    }
  }

  private boolean isLed(String topic, int partitions) throws ExecutionException, InterruptedException {
    try {
      List<TopicPartitionInfo> infos = describe(topic).partitions();
      return infos.size() == partitions && infos.stream().allMatch(info -> info.leader() != null);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AuthorizationException) {
        throw e; // nor will it ever be known to us
      }
      return false; // not known to this broker yet
    }
  }

  private boolean isInSync(String topic) throws InterruptedException {
    try {
      return describe(topic).partitions().stream()
          .allMatch(info -> info.leader() != null && info.isr().size() == info.replicas().size());
    } catch (ExecutionException e) {
      return false; // this broker has only just come back
    }
  }

  private TopicDescription describe(String topic) throws ExecutionException, InterruptedException {
    return Objects.requireNonNull(client().describeTopics(List.of(topic)).allTopicNames().get().get(topic));
  }

  private String ends(String topic) throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetSpec> asked = new TreeMap<>(java.util.Comparator.comparingInt(TopicPartition::partition));
    for (TopicPartitionInfo info : describe(topic).partitions()) {
      asked.put(new TopicPartition(topic, info.partition()), OffsetSpec.latest());
    }
    Map<TopicPartition, ListOffsetsResultInfo> found = client().listOffsets(asked).all().get();
    StringJoiner ends = new StringJoiner(" ");
    for (TopicPartition partition : asked.keySet()) {
      ends.add(Long.toString(Objects.requireNonNull(found.get(partition)).offset()));
    }
    return ends.toString();
  }
}
