package dev.decant.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.PreparedTransaction;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.connector.kafka.sink.internal.CheckpointTransaction;
import org.apache.flink.connector.kafka.sink.internal.TransactionOwnership;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one sink has stored, the other reads. */
class StateFormatsTest {
  private static final KafkaSink<String> FLINKS = Job.apaches("localhost:1", "t", TransactionNamingStrategy.POOLING);

  @Test
  void committablesAreThoseOfFlinksSink() throws IOException {
    SimpleVersionedSerializer<KafkaCommittable> flinks = FLINKS.getCommittableSerializer();
    SimpleVersionedSerializer<PreparedTransaction> ours = new CommittableSerializer();
    PreparedTransaction transaction = new PreparedTransaction("prefix-äöü-3-17", 1L << 40, Short.MAX_VALUE);
    byte[] bytes = ours.serialize(transaction);

    KafkaCommittable read = flinks.deserialize(ours.getVersion(), bytes);
    assertThat(read.getTransactionalId()).isEqualTo(transaction.transactionalId());
    assertThat(read.getProducerId()).isEqualTo(transaction.producerId());
    assertThat(read.getEpoch()).isEqualTo(transaction.epoch());
    assertThat(ours.deserialize(flinks.getVersion(), flinks.serialize(read))).isEqualTo(transaction);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void writerStatesAreThoseOfFlinksSink(boolean explicit) throws IOException {
    SimpleVersionedSerializer<KafkaWriterState> flinks = FLINKS.getWriterStateSerializer();
    SimpleVersionedSerializer<SinkWriterState> ours = new SinkWriterStateSerializer();
    SinkWriterState state = new SinkWriterState("prefix", 3, 7, explicit,
        List.of(new SinkWriterState.Prepared("prefix-3-1", 8), new SinkWriterState.Prepared("prefix-3-2", 1L << 33)));

    KafkaWriterState read = flinks.deserialize(ours.getVersion(), ours.serialize(state));
    assertThat(read).isEqualTo(new KafkaWriterState("prefix", 3, 7, explicit
        ? TransactionOwnership.EXPLICIT_BY_WRITER_STATE
        : TransactionOwnership.IMPLICIT_BY_SUBTASK_ID,
        List.of(new CheckpointTransaction("prefix-3-1", 8), new CheckpointTransaction("prefix-3-2", 1L << 33))));
    assertThat(ours.deserialize(flinks.getVersion(), flinks.serialize(read))).isEqualTo(state);
  }

  @Test
  void stateOfTheFirstVersionHasNothingButThePrefix() throws IOException {
    byte[] prefix = "prefix".getBytes(StandardCharsets.UTF_8);
    byte[] bytes = new byte[2 + prefix.length];
    bytes[1] = (byte) prefix.length;
    System.arraycopy(prefix, 0, bytes, 2, prefix.length);

    assertThat(new SinkWriterStateSerializer().deserialize(1, bytes))
        .isEqualTo(new SinkWriterState("prefix", -1, -1, false, List.of()));
  }

  @Test
  void bytesOfAnotherVersionOrCutOnesAreRefused() throws IOException {
    SinkWriterStateSerializer states = new SinkWriterStateSerializer();
    byte[] state = states.serialize(new SinkWriterState("p", 0, 1, true,
        List.of(new SinkWriterState.Prepared("p-0-0", 1))));
    assertThatThrownBy(() -> states.deserialize(3, state)).isInstanceOf(IOException.class)
        .hasMessageContaining("version 3");
    byte[] committable = new CommittableSerializer().serialize(new PreparedTransaction("p-0-0", 1, (short) 0));
    assertThatThrownBy(() -> new CommittableSerializer().deserialize(2, committable)).isInstanceOf(IOException.class)
        .hasMessageContaining("version 2");
    for (int length = 0; length < state.length; length++) {
      byte[] cut = Arrays.copyOf(state, length);
      assertThatThrownBy(() -> states.deserialize(2, cut)).isInstanceOf(IOException.class);
    }
    for (int length = 0; length < committable.length; length++) {
      byte[] cut = Arrays.copyOf(committable, length);
      assertThatThrownBy(() -> new CommittableSerializer().deserialize(1, cut)).isInstanceOf(IOException.class);
    }
    state[state.length - 8 - 7 - 4 - 1] = 9; // the last byte of the ownership
    assertThatThrownBy(() -> states.deserialize(2, state)).isInstanceOf(IOException.class)
        .hasMessageContaining("unknown ownership");
  }
}
