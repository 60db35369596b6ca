package dev.decant.kafka.work;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignors;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.IsolationLevel;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.internal.TopicConfigs;
import dev.decant.kafka.internal.TopicCreation;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.bridge.CopySink;
import dev.decant.kafka.work.bridge.RecordSource;
import dev.decant.kafka.work.bridge.TopicAccess;
import dev.decant.kafka.work.bridge.WorkBridge;
import dev.decant.time.Timeouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** Decant's own client. It alone has transactions. */
final class ClientBridge<K, V> implements WorkBridge<K, V> {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  /** The default of {@code partition.assignment.strategy}. */
  private static final String DEFAULT_ASSIGNORS = "range,cooperative-sticky";

  private final KafkaClient client;
  private final Decoder<? extends K> keys;
  private final Decoder<? extends V> values;
  private UnaryOperator<ConsumerBuilder<K, V>> consumerSettings = builder -> builder;
  /** True if copies are stored in transactions, so that readers of retry topics must wait for commits. */
  private boolean isTransactional;

  ClientBridge(KafkaClient client, Decoder<? extends K> keys, Decoder<? extends V> values) {
    this.client = client;
    this.keys = keys;
    this.values = values;
  }

  void consumer(UnaryOperator<ConsumerBuilder<K, V>> settings) {
    consumerSettings = settings;
  }

  void transactional() {
    isTransactional = true;
  }

  TransactionRunner<K, V> transactions(TransactionRunner.Settings settings, ResultMemory memory)
      throws InterruptedException {
    return TransactionRunner.open(client, settings, memory);
  }

  @Override
  public RecordSource<K, V> open(Subscription subscription, RebalanceListener listener) {
    ConsumerBuilder<K, V> plain = client.<K, V>consumer(keys, values).offsetReset(OffsetReset.EARLIEST);
    ConsumerBuilder<K, V> builder = Objects.requireNonNull(consumerSettings
        .apply(isTransactional ? plain.isolationLevel(IsolationLevel.READ_COMMITTED) : plain),
        "consumer(...): the function has returned no builder; return the one that it gets");
    if (subscription.isOrdered()) {
      assignByNumber(builder);
    }
    return new ConsumerSource<>(builder.group(subscription.group())
        .subscribe(subscription.topics().toArray(String[]::new)).autoCommit(false)
        .exclusive(false) // a wake-up must end polls, and not commits
        .rebalanceListener(listener).open());
  }

  /** Sets the assignor range, which gives one member the partitions with the same number of all topics. */
  private static void assignByNumber(ConsumerBuilder<?, ?> builder) {
    Map<String, String> set = builder.settings();
    if (GroupProtocol.CONSUMER.toString().equalsIgnoreCase(set.get("group.protocol"))) {
      if (set.getOrDefault("group.remote.assignor", "").isEmpty()) {
        ConsumerBuilder<?, ?> unused = builder.assignor("range");
      }
    } else if (DEFAULT_ASSIGNORS.equals(set.get("partition.assignment.strategy"))) {
      ConsumerBuilder<?, ?> unused = builder.assignors(Assignors.range());
    }
  }

  @Override
  public CopySink sink(List<String> topics) throws InterruptedException {
    return new ProducerSink(client, topics);
  }

  @Override
  public TopicAccess topics() {
    return new Topics(client);
  }

  @Override
  public Map<TopicPartition, Long> scan(Map<TopicPartition, Long> from, ScanHandler handler)
      throws InterruptedException {
    List<TopicPartition> ids = List.copyOf(from.keySet());
    // Reads up to the end of the log. The previous member may have committed copies that readers of committed records
    // do not see yet. These have to be counted, and copies of aborted transactions must not be.
    Map<TopicPartition, Long> ends;
    try (Consumer<byte[], byte[]> asks = client.consumer(Serdes.bytes(), Serdes.bytes()).open()) {
      ends = new HashMap<>(asks.endOffsets(ids, TIMEOUT));
    }
    try (Consumer<byte[], byte[]> reader = client.consumer(Serdes.bytes(), Serdes.bytes())
        .isolationLevel(isTransactional ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED)
        .offsetReset(OffsetReset.EARLIEST).open()) {
      Map<TopicPartition, Long> begins = reader.beginningOffsets(ids, TIMEOUT);
      reader.assign(ids);
      List<TopicPartition> left = new ArrayList<>(ids);
      for (TopicPartition id : ids) {
        long first = Math.max(of(from, id), of(begins, id));
        reader.seek(id.topic(), id.partition(), first);
        if (first >= of(ends, id)) {
          left.remove(id);
        }
      }
      while (!left.isEmpty()) {
        reader.poll(POLL, record -> {
          TopicPartition id = new TopicPartition(record.topic(), record.partition());
          if (record.offset() < of(ends, id)) {
            handler.onRecord(id, record.offset(), record.keyBytesCopy());
          }
        });
        for (TopicPartition id : List.copyOf(left)) {
          if (reader.position(id.topic(), id.partition(), TIMEOUT) >= of(ends, id)) {
            left.remove(id);
          }
        }
      }
    }
    return ends;
  }

  private static long of(Map<TopicPartition, Long> offsets, TopicPartition id) {
    Long offset = offsets.get(id);
    if (offset == null) {
      throw new IllegalStateException("nothing is known of " + id);
    }
    return offset;
  }

  /** Asks with a consumer without a group, whose questions create no topic. */
  private static final class Topics implements TopicAccess {
    private final KafkaClient client;
    private final Consumer<byte[], byte[]> asks;

    Topics(KafkaClient client) {
      this.client = client;
      this.asks = client.consumer(Serdes.bytes(), Serdes.bytes()).open();
    }

    @Override
    public int partitions(String topic, Duration timeout) throws InterruptedException {
      return asks.partitionsFor(topic, timeout).size();
    }

    @Override
    public Map<String, String> settings(String topic, List<String> names, Duration timeout)
        throws InterruptedException {
      return TopicConfigs.describe(client, topic, names,
          (int) Math.min(Integer.MAX_VALUE, Timeouts.millis(timeout)));
    }

    @Override
    public void create(String topic, int partitions, int replicas, Duration retention, Duration timeout)
        throws InterruptedException {
      TopicCreation.create(client, topic, partitions, replicas,
          // A cluster may compact by default, which would delete the earlier ones of a key's records.
          Map.of("cleanup.policy", "delete", "retention.ms", Long.toString(Timeouts.millis(retention))),
          (int) Math.min(Integer.MAX_VALUE, Timeouts.millis(timeout)));
    }

    @Override
    public void close() {
      asks.close();
    }
  }
}
