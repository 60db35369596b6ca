package dev.decant.kafka.work.apache;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/** The settings of each client of a work, made of those of the consumer. Immutable. */
final class ClientSettings {
  private static final String GROUP_PROTOCOL = "group.protocol";
  private static final String REMOTE_ASSIGNOR = "group.remote.assignor";
  /** Settings of a member, which a consumer without a group must not have. */
  private static final List<String> OF_MEMBERS = List.of(ConsumerConfig.GROUP_ID_CONFIG,
      ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, GROUP_PROTOCOL, REMOTE_ASSIGNOR);
  /** Settings with one name whose classes are not the same for each client. */
  private static final Set<String> OF_ONE_CLIENT = Set.of(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG,
      CommonClientConfigs.CLIENT_ID_CONFIG);

  private final Map<String, Object> consumer;
  private final Map<String, Object> producer;

  private ClientSettings(Map<String, Object> consumer, Map<String, Object> producer) {
    this.consumer = consumer;
    this.producer = producer;
  }

  static ClientSettings of(Map<String, Object> consumer) {
    if ("true".equals(lower(consumer.get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG)))) {
      throw new IllegalArgumentException("enable.auto.commit=true would commit records that are not done: drop it, the"
          + " work commits what is done");
    }
    return new ClientSettings(Map.copyOf(withoutNulls(consumer)), Map.of());
  }

  private static Map<String, Object> withoutNulls(Map<String, Object> settings) {
    Map<String, Object> copy = new HashMap<>(settings);
    copy.values().removeIf(value -> value == null);
    return copy;
  }

  ClientSettings withProducer(Map<String, Object> settings) {
    if (settings.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG) != null) {
      throw new IllegalArgumentException("transactional.id: the work sends dead letters without transactions; drop it");
    }
    if ("0".equals(lower(settings.get(ProducerConfig.ACKS_CONFIG)))) {
      throw new IllegalArgumentException("acks=0 would lose dead letters: use acks=all, the default");
    }
    return new ClientSettings(consumer, Map.copyOf(withoutNulls(settings)));
  }

  private static String lower(@Nullable Object value) {
    return value == null ? "" : value.toString().trim().toLowerCase(Locale.ROOT);
  }

  /** The group of the consumer's settings; empty for none. */
  String group() {
    Object group = consumer.get(ConsumerConfig.GROUP_ID_CONFIG);
    return group == null ? "" : group.toString();
  }

  /** A deserializer in the settings must be the one that the work uses. */
  void requireSame(String setting, Deserializer<?> used) {
    Object set = consumer.get(setting);
    String name = set instanceof Class<?> type ? type.getName() : String.valueOf(set);
    boolean isSame = set == null || name.equals(used.getClass().getName())
        || name.equals(ByteArrayDeserializer.class.getName());
    if (!isSame) {
      throw new IllegalArgumentException(setting + "=" + name + " is not the deserializer of the work, "
          + used.getClass().getName() + ": drop one of them");
    }
  }

  /** Settings of the member that takes the records. */
  Map<String, Object> member(String group, boolean isOrdered) {
    if (!group().isEmpty() && !group().equals(group)) {
      throw new IllegalArgumentException("group.id=" + group() + " is not the group of the work, " + group
          + ": drop one of them");
    }
    Map<String, Object> settings = new HashMap<>(consumer);
    settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    if (isOrdered) {
      assignByNumber(settings);
    }
    return completed(settings);
  }

  /** Sets the assignor range, which gives one member the partitions with the same number of all topics. */
  private static void assignByNumber(Map<String, Object> settings) {
    if ("consumer".equals(lower(settings.get(GROUP_PROTOCOL)))) {
      settings.putIfAbsent(REMOTE_ASSIGNOR, "range");
    } else {
      settings.putIfAbsent(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, RangeAssignor.class.getName());
    }
  }

  /** Settings of a consumer without a group, which asks for topics or reads a retry topic. */
  Map<String, Object> reader() {
    Map<String, Object> settings = new HashMap<>(consumer);
    OF_MEMBERS.forEach(settings::remove);
    OF_ONE_CLIENT.forEach(settings::remove);
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    return completed(settings);
  }

  private static Map<String, Object> completed(Map<String, Object> settings) {
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.putIfAbsent(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    return settings;
  }

  Map<String, Object> producer() {
    Map<String, Object> settings = shared(ProducerConfig.configNames());
    settings.putAll(producer);
    settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 0L); // a send must not delay polls
    return settings;
  }

  Map<String, Object> admin() {
    return shared(AdminClientConfig.configNames());
  }

  /** Settings that another client shares with the consumer, and those that are none of Kafka's. */
  private Map<String, Object> shared(Set<String> names) {
    Set<String> own = ConsumerConfig.configNames();
    Map<String, Object> settings = new HashMap<>();
    consumer.forEach((name, value) -> {
      if (!OF_ONE_CLIENT.contains(name) && (names.contains(name) || !own.contains(name))) {
        settings.put(name, value);
      }
    });
    return settings;
  }
}
