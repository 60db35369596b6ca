package dev.decant.flink;

import dev.decant.kafka.PreparedTransaction;
import dev.decant.kafka.apache.DecantProducer;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.PartitionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Sends the elements of a subtask. Belongs to the subtask's thread; outcomes of records arrive on any thread.
 *
 * @param <T> type of elements
 */
class RecordWriter<T> implements StatefulSinkWriter<T, SinkWriterState>, CommittingSinkWriter<T, PreparedTransaction> {
  final DecantProducer<byte[], byte[]> producer;

  private final boolean waits;
  private final KafkaRecordSerializationSchema<T> serializer;
  private final Topics topics;
  private final Callback onOutcome = this::onOutcome;
  private final MailboxExecutor mailbox;
  private final @Nullable Consumer<RecordMetadata> metadata;
  private final WriterMetrics metrics;
  private final Counter records;
  private final Counter errors;

  /** The first record that was not stored, until the subtask's thread has reported it. Any thread. */
  private volatile @Nullable Exception failure;
  /** Set by the subtask's thread, read by any. */
  private volatile boolean closed;

  RecordWriter(SinkSettings<T> settings, WriterInitContext context) throws IOException {
    this(settings, context, null);
  }

  RecordWriter(SinkSettings<T> settings, WriterInitContext context, @Nullable String transactionalId)
      throws IOException {
    this.waits = settings.guarantee() != DeliveryGuarantee.NONE;
    this.serializer = settings.serializer();
    this.mailbox = context.getMailboxExecutor();
    this.metadata = context.<RecordMetadata>metadataConsumer().orElse(null);
    this.records = context.metricGroup().getIOMetricGroup().getNumRecordsOutCounter();
    this.errors = context.metricGroup().getNumRecordsOutErrorsCounter();
    this.producer = new DecantProducer<>(settings.producer(transactionalId));
    this.topics = new Topics(context.getTaskInfo().getIndexOfThisSubtask(),
        context.getTaskInfo().getNumberOfParallelSubtasks());
    boolean opened = false;
    try {
      this.metrics = new WriterMetrics(producer, context, settings.producer());
      serializer.open(context.asSerializationSchemaInitializationContext(), topics);
      opened = true;
    } catch (RuntimeException | IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("the serializer of the sink cannot be opened", e);
    } finally {
      if (!opened) {
        Producers.close(producer);
      }
    }
  }

  @Override
  public void write(T element, Context context) throws IOException {
    checkFailure();
    ProducerRecord<byte[], byte[]> record = serializer.serialize(element, topics, context.timestamp());
    if (record != null) { // else it is left out
      var unused = producer.send(record, onOutcome); // the callback gets the outcome
      records.inc();
    }
  }

  private void onOutcome(@Nullable RecordMetadata where, @Nullable Exception error) {
    if (error != null && failure == null && !closed) {
      failure = error;
      // Nothing else may be written for long: fail the subtask now.
      mailbox.execute(this::checkFailure, "report a record that was not stored");
    }
    if (metadata != null) {
      metadata.accept(where);
    }
  }

  /** Throws what has prevented a record, once. */
  final void checkFailure() throws IOException {
    Exception first = failure;
    if (first != null) {
      failure = null;
      errors.inc();
      throw new IOException("a record of the sink was not stored: " + first.getMessage(), first);
    }
  }

  @Override
  public void flush(boolean endOfInput) throws IOException {
    if (waits || endOfInput) {
      producer.flush();
    }
    checkFailure();
  }

  @Override
  public Collection<PreparedTransaction> prepareCommit() throws IOException {
    return List.of();
  }

  @Override
  public List<SinkWriterState> snapshotState(long checkpointId) throws IOException {
    return List.of();
  }

  /**
   * Drops what was not flushed. A subtask that ends well has flushed before; one that was cancelled or has failed
   * leaves it to the checkpoint before, or has no guarantee. Throws nothing: a task manager takes an exception of a
   * cancelled subtask's close for a fault of its own, and ends with everything that it runs.
   */
  @Override
  public void close() {
    ignoreOutcomes();
    metrics.close();
    Producers.close(producer);
  }

  /** Records that fail from now on do so because the writer drops them. */
  final void ignoreOutcomes() {
    closed = true;
  }

  /** What a serializer may ask for. */
  private final class Topics implements KafkaRecordSerializationSchema.KafkaSinkContext {
    private final Map<String, int[]> partitions = new HashMap<>();
    private final int subtask;
    private final int subtasks;

    Topics(int subtask, int subtasks) {
      this.subtask = subtask;
      this.subtasks = subtasks;
    }

    @Override
    public int getParallelInstanceId() {
      return subtask;
    }

    @Override
    public int getNumberOfParallelInstances() {
      return subtasks;
    }

    @Override
    public int[] getPartitionsForTopic(String topic) {
      return partitions.computeIfAbsent(topic, name -> producer.partitionsFor(name).stream()
          .mapToInt(PartitionInfo::partition).sorted().toArray());
    }
  }
}
