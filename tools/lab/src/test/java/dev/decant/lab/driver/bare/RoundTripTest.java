package dev.decant.lab.driver.bare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.protocol.message.ProduceResponse;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.lab.driver.Work;
import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class RoundTripTest {
  private static final String TOPIC = "orders";
  private static final int RECORD_BYTES = 100;
  private static final int MOST_RESPONSE_BYTES = 64 * 1024;
  private static final long NEVER = 1L << 62;
  private static final short NOT_LEADER = 6;

  private static byte[] stored(Request request, short error) {
    return ByteBroker.response(request, out -> new ProduceResponse()
        .responses(List.of(new ProduceResponse.TopicProduceResponse()
            .name(TOPIC).partitionResponses(List.of(new ProduceResponse.PartitionProduceResponse().errorCode(error)))))
        .write(out, BareMessages.PRODUCE_VERSION));
  }

  private static byte[] stored(Request request) {
    return stored(request, (short) 0);
  }

  /** Sends one record to a broker with a script. */
  private static void send(ByteBroker.Script script) throws IOException {
    try (ByteBroker broker = new ByteBroker(script);
        BareSocket socket = new BareSocket(broker.address(), MOST_RESPONSE_BYTES)) {
      BareMessages.requireStored(socket.exchange(BareMessages.produce(TOPIC, new byte[RECORD_BYTES])));
    }
  }

  @Test
  void theRequestHasOneSoundBatchOfOneRecord() {
    byte[] value = new byte[RECORD_BYTES];
    Arrays.fill(value, (byte) 7);
    ByteBuffer frame = BareMessages.produce(TOPIC, value);
    byte[] request = new byte[frame.getInt(0)];
    frame.get(Integer.BYTES, request);
    assertThat(frame.limit()).isEqualTo(Integer.BYTES + request.length);

    ProtocolReader in = ByteBroker.body(request);
    ProduceRequest produce = ProduceRequest.read(in, BareMessages.PRODUCE_VERSION);
    assertThat(in.remaining()).isZero();
    assertThat(produce.acks()).isEqualTo((short) 1);
    assertThat(produce.transactionalId()).isNull();
    assertThat(produce.topicData()).singleElement().extracting(ProduceRequest.TopicProduceData::name).isEqualTo(TOPIC);
    ByteBuffer records = Objects
        .requireNonNull(produce.topicData().getFirst().partitionData().getFirst().records());
    RecordBatchReader batch = new RecordBatchReader().wrap(records, 0, records.capacity());
    assertThat(batch.nextBatch()).as("with the right checksum").isTrue();
    assertThat(batch.nextRecord()).isTrue();
    assertThat(batch.hasKey()).isFalse();
    byte[] read = new byte[batch.valueLength()];
    batch.buffer().get(batch.valueOffset(), read);
    assertThat(read).isEqualTo(value);
    assertThat(batch.nextRecord()).isFalse();
    assertThat(batch.nextBatch()).isFalse();
    assertThat(batch.unreadBytes()).isZero();
  }

  @Test
  void theLeaderIsLookedUpAndThenEachRecordIsARoundTrip() throws Exception {
    int[] port = new int[1];
    try (ByteBroker leader = new ByteBroker(request -> new byte[][] {stored(request)});
        ByteBroker any = new ByteBroker(request -> new byte[][] {
            ByteBroker.metadata(request, TOPIC, port[0], 5)})) {
      port[0] = leader.address().getPort();
      WorkSpec spec = new WorkSpec(WorkSpec.BARE_SOCKET, WorkKind.named("round-trip"),
          WorkSpec.Access.plain("127.0.0.1:" + any.address().getPort() + ",127.0.0.1:1"),
          new WorkSpec.Topics(TOPIC, 1, 1),
          WorkSpec.Load.plain(RECORD_BYTES, 1),
          new WorkSpec.Amount(0, 300, 0, 0), Map.of(), Map.of());
      try (Work work = WorkType.open(spec)) {
        work.run(20, System.nanoTime() + NEVER);
        work.begin();
        assertThat(work.run(300, System.nanoTime() + NEVER)).isEqualTo(300);
        assertThat(work.progress()).isEqualTo(320);
        assertThat(work.latency().getTotalCount()).isEqualTo(300);
        assertThat(work.run(300, System.nanoTime() - 1)).as("the time is over").isZero();
        Map<String, Double> figures = new HashMap<>();
        work.figures(300, figures);
        assertThat(figures).containsOnlyKeys("caller_bytes_per_record");
      }
    }
  }

  @Test
  void aResponseMayComeInPieces() throws IOException {
    send(request -> {
      byte[] whole = stored(request);
      byte[][] pieces = new byte[whole.length][];
      Arrays.setAll(pieces, i -> new byte[] {whole[i]});
      return pieces;
    });
  }

  @Test
  void aRecordThatIsNotStoredIsAnError() {
    assertThatThrownBy(() -> send(request -> new byte[][] {stored(request, NOT_LEADER)}))
        .isInstanceOf(IOException.class).hasMessageContaining("did not store").hasMessageContaining("(6)");
    assertThatThrownBy(() -> send(request -> new byte[0][])).isInstanceOf(IOException.class)
        .hasMessageContaining("closed the connection");
    assertThatThrownBy(() -> send(request -> new byte[][] {
        ByteBroker.response(request, out -> out.writeShort(0x0100))}))
        .isInstanceOf(IOException.class).hasMessageContaining("0 topics");
  }

  @Test
  void aResponseToSomethingElseIsAnError() {
    assertThatThrownBy(() -> send(request -> {
      byte[] other = stored(request);
      other[7] ^= 0x40;
      return new byte[][] {other};
    })).isInstanceOf(IOException.class).hasMessageContaining("the request 65 instead of 1");
    assertThatThrownBy(() -> send(request -> {
      byte[] whole = stored(request);
      return new byte[][] {Arrays.copyOf(whole, whole.length + 3)};
    })).isInstanceOf(IOException.class).hasMessageContaining("3 bytes that nobody asked for");
  }

  @ParameterizedTest
  @CsvSource({"-1", "65537", "2147483647"})
  void aResponseOfAnImpossibleLengthIsAnError(int length) {
    assertThatThrownBy(() -> send(request -> {
      byte[] whole = stored(request);
      ByteBuffer.wrap(whole).putInt(0, length);
      return new byte[][] {whole};
    })).isInstanceOf(IOException.class).hasMessageContaining("a response of " + length + " bytes");
  }

  @Test
  void aResponseThatEndsAnywhereIsAnError() {
    byte[] any = stored(new Request(1, ApiKey.PRODUCE, BareMessages.PRODUCE_VERSION, 0, new ProduceRequest()));
    int unneededBytes = 9; // behind the partition's offsets, which the work does not read
    for (int bytes = 0; bytes < any.length - Integer.BYTES - unneededBytes; bytes++) {
      int length = bytes;
      assertThatThrownBy(() -> send(request -> {
        byte[] cut = Arrays.copyOf(stored(request), Integer.BYTES + length);
        ByteBuffer.wrap(cut).putInt(0, length);
        return new byte[][] {cut};
      })).as(length + " bytes").isInstanceOf(MalformedBytesException.class);
    }
  }
}
