package dev.decant.flink;

import dev.decant.kafka.PreparedTransaction;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.jspecify.annotations.Nullable;

/** The sink under test, with {@link Mishaps} around its steps. */
final class FaultySink
    implements
      Sink<String>,
      SupportsWriterState<String, SinkWriterState>,
      SupportsCommitter<PreparedTransaction>,
      SupportsPostCommitTopology<PreparedTransaction> {
  private static final long serialVersionUID = 1L;
  /** The mishaps of the round. Sinks are copied with the job, so they cannot hold it in a field. */
  private static volatile @Nullable Mishaps mishaps;
  private static final Queue<AutoCloseable> LOST = new ConcurrentLinkedQueue<>();

  private final DecantKafkaSink<String> sink;

  FaultySink(DecantKafkaSink<String> sink) {
    this.sink = sink;
  }

  static void begin(Mishaps ofRound) {
    mishaps = ofRound;
  }

  /** Closes what was lost, so that its threads end. */
  static void end() throws Exception {
    for (AutoCloseable each = LOST.poll(); each != null; each = LOST.poll()) {
      try {
        each.close();
      } catch (IOException expected) { // a record that was not stored
        assert expected.getMessage() != null;
      }
    }
  }

  /** A part of the sink that may be lost. */
  private abstract static class Part {
    private final AutoCloseable part;
    private boolean lost;

    Part(AutoCloseable part) {
      this.part = part;
    }

    void at(String point) {
      if (!Objects.requireNonNull(mishaps).at(point)) {
        lost = true;
        LOST.add(part);
        throw new Mishaps.Mishap(point);
      }
    }

    /** For the parts, whose interfaces of Flink have it. */
    @SuppressWarnings({"UnusedMethod", "EffectivelyPrivate"}) // javac does not see that it implements theirs
    public void close() throws Exception {
      if (!lost) {
        part.close();
      }
    }
  }

  private static final class FaultyWriter extends Part
      implements
        StatefulSinkWriter<String, SinkWriterState>,
        CommittingSinkWriter<String, PreparedTransaction> {
    private final StatefulSinkWriter<String, SinkWriterState> writer;

    FaultyWriter(StatefulSinkWriter<String, SinkWriterState> writer) {
      super(writer);
      this.writer = writer;
    }

    @Override
    public void write(String element, Context context) throws IOException, InterruptedException {
      writer.write(element, context);
    }

    @Override
    public void flush(boolean endOfInput) throws IOException, InterruptedException {
      at("before flush");
      writer.flush(endOfInput);
    }

    @SuppressWarnings("unchecked") // both writers of the sink are of this type
    @Override
    public Collection<PreparedTransaction> prepareCommit() throws IOException, InterruptedException {
      at("before prepare");
      Collection<PreparedTransaction> prepared = ((CommittingSinkWriter<String, PreparedTransaction>) writer)
          .prepareCommit();
      at("after prepare");
      return prepared;
    }

    @Override
    public List<SinkWriterState> snapshotState(long checkpointId) throws IOException {
      at("before snapshot");
      List<SinkWriterState> states = writer.snapshotState(checkpointId);
      at("after snapshot");
      return states;
    }
  }

  private static final class FaultyCommitter extends Part implements Committer<PreparedTransaction> {
    private final Committer<PreparedTransaction> committer;

    FaultyCommitter(Committer<PreparedTransaction> committer) {
      super(committer);
      this.committer = committer;
    }

    @Override
    public void commit(Collection<CommitRequest<PreparedTransaction>> requests)
        throws IOException, InterruptedException {
      at("before commit");
      committer.commit(requests);
      at("after commit");
    }
  }

  @Override
  public StatefulSinkWriter<String, SinkWriterState> createWriter(WriterInitContext context) throws IOException {
    return new FaultyWriter(sink.createWriter(context));
  }

  @Override
  public StatefulSinkWriter<String, SinkWriterState> restoreWriter(WriterInitContext context,
      Collection<SinkWriterState> recovered) throws IOException {
    return new FaultyWriter(sink.restoreWriter(context, recovered));
  }

  @Override
  public SimpleVersionedSerializer<SinkWriterState> getWriterStateSerializer() {
    return sink.getWriterStateSerializer();
  }

  @Override
  public Committer<PreparedTransaction> createCommitter(CommitterInitContext context) throws IOException {
    return new FaultyCommitter(sink.createCommitter(context));
  }

  @Override
  public SimpleVersionedSerializer<PreparedTransaction> getCommittableSerializer() {
    return sink.getCommittableSerializer();
  }

  @Override
  public void addPostCommitTopology(DataStream<CommittableMessage<PreparedTransaction>> committables) {
    sink.addPostCommitTopology(committables);
  }
}
