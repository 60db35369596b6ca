package dev.decant.fake.cluster;

import dev.decant.fake.log.PartitionLog;
import dev.decant.kafka.protocol.Uuid;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The topics of the cluster, by name and by id. */
public final class Topics {
  /** The topic of the group coordinators. */
  public static final String OFFSETS = "__consumer_offsets";
  /** The topic of the transaction coordinators. */
  public static final String TRANSACTIONS = "__transaction_state";
  /** The topic of the share coordinators (KIP-932). */
  public static final String SHARE_STATE = "__share_group_state";
  private static final int LONGEST_NAME = 249;
  private static final int MOST_NAMES = 10;

  private final PartitionLog.Shared shared = new PartitionLog.Shared();
  private final Settings brokerSettings;
  private final TreeMap<String, Topic> byName = new TreeMap<>();
  private final Map<Uuid, Topic> byId = new HashMap<>();
  private int changes;

  Topics(Settings brokerSettings) {
    this.brokerSettings = brokerSettings;
  }

  /** Returns all topics, by name. */
  public Collection<Topic> all() {
    return Collections.unmodifiableCollection(byName.values());
  }

  /** Returns the names of the first topics, for errors. */
  public String inWords() {
    String names = String.join(", ", byName.keySet().stream().limit(MOST_NAMES).toList());
    return byName.isEmpty()
        ? "there is none yet"
        : "there " + (byName.size() == 1 ? "is " : "are ") + names
            + (byName.size() > MOST_NAMES ? " and " + (byName.size() - MOST_NAMES) + " more" : "");
  }

  /**
   * Returns the number of times that topics were created, deleted or extended: an unchanged number means unchanged
   * topics.
   */
  public int changes() {
    return changes;
  }

  /** Returns the topic of a name, or null. */
  public @Nullable Topic named(String name) {
    return byName.get(name);
  }

  /** Returns the topic of an id, or null. */
  public @Nullable Topic of(Uuid id) {
    return byId.get(id);
  }

  /** Returns the topic of an id, or of a name if the id is zero; null if there is none. */
  public @Nullable Topic find(Uuid id, @Nullable String name) {
    return id.equals(Uuid.ZERO) ? name == null ? null : byName.get(name) : byId.get(id);
  }

  /**
   * Returns the name of a topic that a client names by id or by name; if there is none, the client's name, or an empty
   * one.
   */
  public String nameOf(Uuid id, @Nullable String name) {
    Topic topic = find(id, name);
    return topic == null ? Objects.requireNonNullElse(name, "") : topic.name();
  }

  /** Returns why a topic cannot have a name, with the text of brokers; null if it can. */
  public static @Nullable String problemOf(String name) {
    if (name.isEmpty()) {
      return "Topic name is invalid: the empty string is not allowed";
    }
    if (name.equals(".") || name.equals("..")) {
      return "Topic name is invalid: '" + name + "' is not allowed";
    }
    if (name.length() > LONGEST_NAME) {
      return "Topic name is invalid: the length of '" + name + "' is longer than the max allowed length "
          + LONGEST_NAME;
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean isLegal = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.'
          || c == '_' || c == '-';
      if (!isLegal) {
        return "Topic name is invalid: '" + name
            + "' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'";
      }
    }
    return null;
  }

  /** Creates a topic with the given replicas of each partition, the first of which leads. */
  Topic create(String name, List<List<Integer>> replicas, Map<String, String> overrides) {
    Settings settings = brokerSettings.ofTopic();
    overrides.forEach(settings::set);
    boolean isInternal = name.equals(OFFSETS) || name.equals(TRANSACTIONS) || name.equals(SHARE_STATE);
    Topic topic = new Topic(name, newId(), isInternal, settings);
    addPartitions(topic, replicas);
    byName.put(name, topic);
    byId.put(topic.id(), topic);
    return topic;
  }

  void addPartitions(Topic topic, List<List<Integer>> replicas) {
    changes++;
    for (List<Integer> brokers : replicas) {
      topic.add(new Partition(topic, topic.partitions().size(), brokers, shared));
    }
  }

  void delete(Topic topic) {
    changes++;
    byName.remove(topic.name());
    byId.remove(topic.id());
    List.copyOf(topic.partitions()).forEach(partition -> partition.lead(Partition.NO_LEADER));
  }

  /** Copies a log. */
  PartitionLog copy(PartitionLog log) {
    return log.copy(shared);
  }

  /** Frees the native memory of codecs, after the owner has ended. */
  void close() {
    shared.close();
  }

  /** Returns a random id for a topic. */
  public static Uuid newId() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return new Uuid((random.nextLong() & 0xFFFF_FFFF_FFFF_0FFFL) | 0x4000,
        (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L);
  }
}
