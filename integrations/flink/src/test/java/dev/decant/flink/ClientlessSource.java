package dev.decant.flink;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceOptions;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.metrics.KafkaSourceReaderMetrics;
import org.apache.flink.connector.kafka.source.reader.KafkaRecordEmitter;
import org.apache.flink.connector.kafka.source.reader.KafkaSourceReader;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.connector.kafka.source.reader.fetcher.KafkaSourceFetcherManager;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The control of the source: Flink's own {@link KafkaSource} with its enumerator, fetcher thread, queue, emitter and
 * deserializer, and without a consumer. Each fetch hands over the same prepared records, as many as a poll returns.
 *
 * @param flinks the source whose other parts are used; both of its bounds are given as offsets
 * @param valueBytes bytes of each record
 */
record ClientlessSource(KafkaSource<byte[]> flinks, int valueBytes)
    implements
      Source<byte[], KafkaPartitionSplit, KafkaSourceEnumState> {
  private static final int RECORDS_OF_A_POLL = 500;

  @Override
  public Boundedness getBoundedness() {
    return flinks.getBoundedness();
  }

  @Override
  public SourceReader<byte[], KafkaPartitionSplit> createReader(SourceReaderContext context) throws Exception {
    KafkaRecordDeserializationSchema<byte[]> deserializer = KafkaRecordDeserializationSchema
        .valueOnly(ByteArrayDeserializer.class);
    deserializer.open(new Opening(context));
    var queue = new FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>>();
    KafkaSourceFetcherManager fetchers = new KafkaSourceFetcherManager(queue, () -> new PreparedRecords(valueBytes),
        finished -> {});
    Configuration settings = new Configuration();
    settings.set(KafkaSourceOptions.COMMIT_OFFSETS_ON_CHECKPOINT, false); // it asks the consumer, which is missing
    return new KafkaSourceReader<>(queue, fetchers,
        new KafkaRecordEmitter<>(deserializer), settings, context, new KafkaSourceReaderMetrics(context.metricGroup()));
  }

  @Override
  public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> createEnumerator(
      SplitEnumeratorContext<KafkaPartitionSplit> context) {
    return flinks.createEnumerator(context);
  }

  @Override
  public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> restoreEnumerator(
      SplitEnumeratorContext<KafkaPartitionSplit> context, KafkaSourceEnumState state) throws IOException {
    return flinks.restoreEnumerator(context, state);
  }

  @Override
  public SimpleVersionedSerializer<KafkaPartitionSplit> getSplitSerializer() {
    return flinks.getSplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<KafkaSourceEnumState> getEnumeratorCheckpointSerializer() {
    return flinks.getEnumeratorCheckpointSerializer();
  }

  /** What Flink's source gives its deserializer. */
  private record Opening(SourceReaderContext context) implements DeserializationSchema.InitializationContext {
    @Override
    public MetricGroup getMetricGroup() {
      return context.metricGroup();
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
      return context.getUserCodeClassLoader();
    }
  }

  /** Hands over prepared records of one split after the other, until each has had what it should have. */
  private static final class PreparedRecords
      implements
        SplitReader<ConsumerRecord<byte[], byte[]>, KafkaPartitionSplit> {
    private final Map<String, Long> left = new LinkedHashMap<>();
    private final List<ConsumerRecord<byte[], byte[]>> poll = new ArrayList<>();

    PreparedRecords(int valueBytes) {
      for (int i = 0; i < RECORDS_OF_A_POLL; i++) {
        poll.add(new ConsumerRecord<>("prepared", 0, i, null, new byte[valueBytes]));
      }
    }

    @Override
    public RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetch() {
      Map.Entry<String, Long> split = left.entrySet().iterator().next();
      int count = (int) Math.min(poll.size(), split.getValue());
      Map<String, Collection<ConsumerRecord<byte[], byte[]>>> records = Map.of(split.getKey(), poll.subList(0, count));
      split.setValue(split.getValue() - count);
      if (split.getValue() > 0) {
        return new RecordsBySplits<>(records, Set.of());
      }
      left.remove(split.getKey());
      return new RecordsBySplits<>(records, Set.of(split.getKey()));
    }

    @Override
    public void handleSplitsChanges(SplitsChange<KafkaPartitionSplit> change) {
      for (KafkaPartitionSplit split : change.splits()) {
        left.put(split.splitId(), split.getStoppingOffset().orElseThrow() - Math.max(0, split.getStartingOffset()));
      }
    }

    @Override
    public void wakeUp() {}

    @Override
    public void close() {}
  }
}
