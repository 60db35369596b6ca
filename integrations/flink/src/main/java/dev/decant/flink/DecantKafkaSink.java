package dev.decant.flink;

import dev.decant.kafka.PreparedTransaction;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessageTypeInfo;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.lineage.LineageVertex;
import org.apache.flink.streaming.api.lineage.LineageVertexProvider;

/**
 * Writes a stream to Kafka with Decant's client, as Flink's {@link KafkaSink} does with Apache's: same builder, same
 * delivery guarantees, same names of transactions, same metrics. Writers and committers store their state in the format
 * of {@link KafkaSink}, so that a job whose sink keeps its {@code uid} goes from one to the other and back by a
 * savepoint.
 *
 * <p>With {@link DeliveryGuarantee#EXACTLY_ONCE} all records between two checkpoints belong to a transaction. It is
 * prepared with the checkpoint and committed once the checkpoint is complete, after a restart if need be. Set
 * {@code transaction.timeout.ms} to more than the longest checkpoint and the longest restart together: a transaction
 * that is not committed by then is aborted by the brokers, and its records are lost.
 *
 * @param <T> type of the stream's elements
 */
public final class DecantKafkaSink<T>
    implements
      Sink<T>,
      SupportsWriterState<T, SinkWriterState>,
      SupportsCommitter<PreparedTransaction>,
      SupportsPostCommitTopology<PreparedTransaction>,
      LineageVertexProvider {
  private static final long serialVersionUID = 1L;

  private final SinkSettings<T> settings;

  DecantKafkaSink(SinkSettings<T> settings) {
    this.settings = settings;
  }

  /**
   * Begins with the defaults of {@link KafkaSink}.
   *
   * @param <T> type of the stream's elements
   * @return to be given the servers and the serializer, at least
   */
  public static <T> DecantKafkaSinkBuilder<T> builder() {
    return new DecantKafkaSinkBuilder<>();
  }

  @Override
  public StatefulSinkWriter<T, SinkWriterState> createWriter(WriterInitContext context) throws IOException {
    return restoreWriter(context, List.of());
  }

  @Override
  public StatefulSinkWriter<T, SinkWriterState> restoreWriter(WriterInitContext context,
      Collection<SinkWriterState> recovered) throws IOException {
    return settings.isExactlyOnce()
        ? new TransactionalWriter<>(settings, context, recovered)
        : new RecordWriter<>(settings, context);
  }

  @Override
  public Committer<PreparedTransaction> createCommitter(CommitterInitContext context) {
    return settings.isExactlyOnce()
        ? new TransactionCommitter(settings, new FinishedTransactions.Key(settings, context))
        : new NoCommitter();
  }

  @Override
  public SimpleVersionedSerializer<PreparedTransaction> getCommittableSerializer() {
    return new CommittableSerializer();
  }

  @Override
  public SimpleVersionedSerializer<SinkWriterState> getWriterStateSerializer() {
    return new SinkWriterStateSerializer();
  }

  /**
   * Adds nothing after the committers. It has each writer run in one JVM with its committer, which tells it what is
   * committed ({@link FinishedTransactions}).
   */
  @Override
  public void addPostCommitTopology(DataStream<CommittableMessage<PreparedTransaction>> committables) {
    if (!settings.isExactlyOnce()) {
      return;
    }
    Transformation<?> step = committables.getTransformation();
    while (step.getOutputType() instanceof CommittableMessageTypeInfo && step.getCoLocationGroupKey() == null) {
      step.setCoLocationGroupKey(settings.transactionalIdPrefix());
      step = step.getInputs().getFirst();
    }
  }

  /** The lineage that {@link KafkaSink} with the same settings has. */
  @Override
  public LineageVertex getLineageVertex() {
    return settings.apaches().getLineageVertex();
  }
}
